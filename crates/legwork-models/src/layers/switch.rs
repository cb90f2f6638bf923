//! One of several models, chosen for each request.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use legwork_core::{Mask, ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Count, Deltas, Error, Kind, Model, Profile};

use super::several::{Several, answered_by};

/// Several models, one of which is chosen for each request, such as by the length of it.
///
/// It has the name of the first model, the abilities and limits that all have, and the highest
/// price. The author of a message names the model that answered, at whose price it is charged.
///
/// ```
/// use legwork_models::layers::Switch;
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let small = ScriptedModel::new([Turn::text("quick")]).named("a:small");
/// let large = ScriptedModel::new([Turn::text("thorough")]).named("a:large");
/// // The first step goes to the large model, the others to the small one.
/// let model = Switch::by(|request| if request.messages().len() < 2 { 1 } else { 0 }, small)
///     .or(large);
/// let answer = model.infer(ModelRequest::blank(Default::default()), None).await?;
/// assert_eq!(answer.text(), "thorough");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Switch {
    models: Several,
    choose: Arc<dyn Fn(&ModelRequest) -> usize + Send + Sync>,
}

impl Switch {
    /// A switch with its first model; `choose` returns the index of the model to ask, from 0.
    pub fn by(
        choose: impl Fn(&ModelRequest) -> usize + Send + Sync + 'static,
        first: impl Model + 'static,
    ) -> Self {
        Self { models: Several::of(Arc::new(first)), choose: Arc::new(choose) }
    }

    /// The same with one more model, at the next index.
    #[must_use]
    pub fn or(self, model: impl Model + 'static) -> Self {
        Self { models: self.models.with(Arc::new(model)), ..self }
    }

    fn none_at(&self, index: usize) -> Error {
        let (name, count) = (self.models.name(), self.models.all().count());
        let message = format!(
            "asking {name}: the switch chose model {index} of {count}; choose an index below {count}"
        );
        Error::new(Kind::BadRequest, message)
    }
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.models.all().map(Model::name);
        f.debug_tuple("Switch").field(&names.collect::<Vec<_>>()).finish()
    }
}

impl Model for Switch {
    fn name(&self) -> &str {
        self.models.name()
    }

    fn profile(&self) -> &Profile {
        self.models.profile()
    }

    fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.models.profile_of(name)
    }

    fn mask(&self) -> Mask {
        self.models.mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        let index = (self.choose)(request);
        match self.models.all().nth(index) {
            Some(model) => model.count_tokens(request),
            None => Box::pin(ready(Err(self.none_at(index)))),
        }
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let index = (self.choose)(&request);
            let Some(model) = self.models.all().nth(index) else {
                return Err(self.none_at(index));
            };
            let answer = model.infer(request, deltas).await;
            answer.map(|response| answered_by(response, model.name()))
        })
    }
}
