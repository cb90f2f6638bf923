//! What was found in locations, by name.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use crate::agent::AgentDefinition;
use crate::file::Links;
use crate::format::Format;
use crate::location::{Location, Look, Origin, entries, small_together};
use crate::problem::Problem;
use crate::skill::Skill;

/// Agents found in locations.
pub type Definitions = Catalog<AgentDefinition>;
/// Skills found in locations.
pub type SkillCatalog = Catalog<Skill>;

/// What was found in locations, by name, and what was wrong there.
#[derive(Debug, Clone)]
pub struct Catalog<T> {
    found: BTreeMap<String, Found<T>>,
    problems: Vec<Problem>,
}

/// Something that was found, and where.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Found<T> {
    /// What was found.
    pub value: T,
    /// Its file.
    pub file: PathBuf,
    /// Whose location that file is in.
    pub origin: Origin,
    /// The files of the same name that it wins over, the nearest first.
    pub overrides: Vec<(Origin, PathBuf)>,
}

impl<T> Default for Catalog<T> {
    fn default() -> Self {
        Self { found: BTreeMap::new(), problems: Vec::new() }
    }
}

impl<T> Catalog<T> {
    /// What goes by a name.
    pub fn get(&self, name: &str) -> Option<&Found<T>> {
        self.found.get(name)
    }

    /// All names and what goes by them, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Found<T>)> {
        self.found.iter().map(|(name, found)| (name.as_str(), found))
    }

    /// All values, sorted by name, to be changed: what is found in files said less than is
    /// known now.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.found.values_mut().map(|found| &mut found.value)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What was wrong, by location and file; what is right was found in spite of it.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Adds what one location holds; the names in it are known from then on.
    fn add_location(&mut self, origin: Origin, read: Vec<(String, PathBuf, T)>) {
        let mut here: BTreeMap<String, Found<T>> = BTreeMap::new();
        for (name, file, value) in read {
            match here.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(Found { value, file, origin, overrides: Vec::new() });
                }
                Entry::Occupied(taken) => {
                    self.problems.push(twice(taken.get(), taken.key(), &file))
                }
            }
        }
        for (name, mut found) in here {
            if let Some(below) = self.found.remove(&name) {
                found.overrides.push((below.origin, below.file));
                found.overrides.extend(below.overrides);
            }
            self.found.insert(name, found);
        }
    }

    /// What is found at a location; what is wrong with it is kept.
    fn look(&mut self, location: &Location) -> Look {
        location.look().unwrap_or_else(|problem| {
            self.problems.push(problem);
            Look::Nothing
        })
    }
}

fn twice<T>(first: &Found<T>, name: &str, file: &Path) -> Problem {
    let message = format!("`{name}` is the name in {}, too, which is used", first.file.display());
    Problem::new(message, "give one of them another name").on_field("name").in_file(file)
}

impl Definitions {
    /// Reads the agents in locations; of two with one name, the one in the later location wins.
    ///
    /// Of a folder, all files `*.md`, `*.yaml`, `*.yml` and `*.json` that are not hidden, in the
    /// order of their names, at most 8 MiB together; folders in it are not looked into, links in it not followed. A file
    /// that is wrong is told of in [`problems`](Catalog::problems), and all others are read.
    pub fn load(locations: &[Location]) -> Self {
        let mut all = Self::default();
        for location in locations {
            let (files, links) = match all.look(location) {
                Look::Nothing => continue,
                Look::File => (vec![location.path.clone()], location.links()),
                Look::Folder => {
                    let wanted = |path: &Path| Format::of(path).is_some();
                    let files = entries(&location.path, wanted, &mut all.problems);
                    (small_together(&location.path, files, &mut all.problems), Links::Refuse)
                }
            };
            let mut read = Vec::new();
            for file in files.into_iter().filter(|file| location.has(file)) {
                match AgentDefinition::read_as(&file, links, location.content(&file)) {
                    Ok(definition) => read.push((definition.name.clone(), file, definition)),
                    Err(problems) => all.problems.extend(problems),
                }
            }
            all.add_location(location.origin, read);
        }
        all
    }
}

impl SkillCatalog {
    /// Reads the front matter of the skills in locations; the later location wins by name.
    ///
    /// Of a folder, each folder in it that is not hidden and holds a `SKILL.md`; a location that
    /// holds a `SKILL.md` itself, or is one, is that one skill. Links are not followed. A skill
    /// that is wrong is told of in [`problems`](Catalog::problems), and all others are read.
    pub fn load(locations: &[Location]) -> Self {
        let mut all = Self::default();
        for location in locations {
            let (folders, links) = match all.look(location) {
                Look::Nothing => continue,
                Look::File => (all.named(location), Links::Follow),
                Look::Folder if location.path.join(Skill::FILE).symlink_metadata().is_ok() => {
                    (vec![location.path.clone()], Links::Follow)
                }
                Look::Folder => {
                    let wanted = |path: &Path| !path.is_file();
                    (entries(&location.path, wanted, &mut all.problems), Links::Refuse)
                }
            };
            let mut read = Vec::new();
            for folder in folders {
                let file = folder.join(Skill::FILE);
                if !location.has(&file) {
                    continue;
                }
                match Skill::read_in(&folder, links, location.content(&file)) {
                    Ok((skill, warnings)) => {
                        all.problems.extend(warnings);
                        read.push((skill.name.clone(), skill.file(), skill));
                    }
                    Err(problems) => all.problems.extend(problems),
                }
            }
            all.add_location(location.origin, read);
        }
        all
    }

    /// The folder of a `SKILL.md` that is named itself.
    fn named(&mut self, location: &Location) -> Vec<PathBuf> {
        let is = location.path.file_name().is_some_and(|name| name == Skill::FILE);
        match location.path.parent() {
            Some(folder) if is && folder.as_os_str().is_empty() => vec![PathBuf::from(".")],
            Some(folder) if is => vec![folder.to_owned()],
            _ => {
                let mend = "name the folder of a skill, or a folder of such folders";
                let problem = Problem::new("it is no folder and no SKILL.md", mend);
                self.problems.push(problem.in_file(&location.path));
                Vec::new()
            }
        }
    }
}
