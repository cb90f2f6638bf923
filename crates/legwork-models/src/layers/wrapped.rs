//! What a layer around one model has from that model.

/// The methods of `Model` but `infer`, as those of the field `model`.
macro_rules! as_wrapped {
    () => {
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
