//! What is written is read as the same, and written the same again.

use legwork_definitions::{AgentDefinition, Format};
use proptest::prelude::*;

use crate::arbitrary::{self, definition, text};

fn check(definition: &AgentDefinition, format: Format) -> Result<(), TestCaseError> {
    let written = definition.write(format).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let read = AgentDefinition::parse(&written, format)
        .map_err(|error| TestCaseError::fail(format!("{error}\nin {written:?}")))?;
    prop_assert_eq!(&read, definition, "{:?}", written);
    prop_assert_eq!(read.write(format).unwrap(), written);
    Ok(())
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn markdown_comes_back(definition in definition()) {
        check(&definition, Format::Markdown)?;
    }

    #[test]
    fn yaml_comes_back(definition in definition()) {
        check(&definition, Format::Yaml)?;
    }

    #[test]
    fn json_comes_back(definition in definition()) {
        check(&definition, Format::Json)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in text()) {
        for format in Format::ALL {
            for text in [text.clone(), format!("---\n{text}\n---\n"), format!("name: a\ndescription: {text}")] {
                if let Err(problems) = AgentDefinition::parse(&text, format) {
                    prop_assert!(problems.iter().count() > 0);
                }
            }
        }
    }
}
