//! So many inferences at once.

use legwork_core::{ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Deltas, Error, Model};

use super::permits::Permits;

/// A model that makes only so many inferences at once; others wait in the order they came.
///
/// ```
/// use legwork_models::layers::{ModelExt as _, Permits};
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Two models of one server, which serves four requests at once.
/// let server = Permits::new(4);
/// let small = ScriptedModel::new([Turn::text("yes")]).with_concurrency(server.clone());
/// let large = ScriptedModel::new([Turn::text("no")]).with_concurrency(server);
/// let answer = small.infer(ModelRequest::blank(Default::default()), None).await?;
/// # let _ = large;
/// # assert_eq!(answer.text(), "yes");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Concurrent<M> {
    model: M,
    permits: Permits,
}

impl<M> Concurrent<M> {
    /// A model each of whose inferences needs a permit.
    pub fn new(model: M, permits: impl Into<Permits>) -> Self {
        Self { model, permits: permits.into() }
    }
}

impl<M: Model> Model for Concurrent<M> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let _permit = self.permits.acquire().await;
            self.model.infer(request, deltas).await
        })
    }
}
