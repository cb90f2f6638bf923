//! What a layer around one model has from that model.

/// The methods of `Model` but `infer`, as those of the field `model`; `but_counting` leaves out
/// `count_tokens`, too.
macro_rules! as_wrapped {
    () => {
        as_wrapped!(but_counting);

        fn count_tokens<'a>(
            &'a self,
            request: &'a ::legwork_core::ModelRequest,
        ) -> ::legwork_port::BoxFuture<
            'a,
            Result<::legwork_port::Count, ::legwork_port::model::Error>,
        > {
            self.model.count_tokens(request)
        }
    };
    (but_counting) => {
        fn name(&self) -> &str {
            self.model.name()
        }

        fn profile(&self) -> &::legwork_port::Profile {
            self.model.profile()
        }

        fn profile_of(&self, name: &str) -> Option<&::legwork_port::Profile> {
            self.model.profile_of(name)
        }

        fn mask(&self) -> ::legwork_core::Mask {
            self.model.mask()
        }
    };
}
