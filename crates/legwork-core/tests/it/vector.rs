//! A persistent vector behaves like a vector and shares its items.

use legwork_core::Vector;
use proptest::prelude::*;

use crate::arbitrary;

#[derive(Debug, Clone)]
enum Step {
    Push(u32),
    /// As many as make the tree higher now and then.
    PushMany(usize),
    Set(prop::sample::Index, u32),
    Clear,
    /// Goes on with a clone; the one left behind must stay as it was.
    Clone,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => any::<u32>().prop_map(Step::Push),
        4 => (0usize..1_500).prop_map(Step::PushMany),
        6 => (any::<prop::sample::Index>(), any::<u32>()).prop_map(|(at, to)| Step::Set(at, to)),
        1 => Just(Step::Clear),
        3 => Just(Step::Clone),
    ]
}

fn same(vector: &Vector<u32>, model: &[u32]) -> Result<(), TestCaseError> {
    prop_assert_eq!(vector.len(), model.len());
    prop_assert_eq!(vector.is_empty(), model.is_empty());
    prop_assert_eq!(vector.last(), model.last());
    prop_assert!(vector.iter().eq(model.iter()));
    prop_assert!(vector.iter().rev().eq(model.iter().rev()));
    let around = |at: usize| [at.saturating_sub(1), at, at + 1];
    for at in [0, 32, 1_024, model.len()].into_iter().flat_map(around).chain([usize::MAX]) {
        prop_assert_eq!(vector.get(at), model.get(at), "item {}", at);
    }
    prop_assert_eq!(vector, &model.iter().copied().collect());
    Ok(())
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s1_1_a_persistent_vector_is_a_vector(steps in prop::collection::vec(step(), 0..25)) {
        let (mut vector, mut model) = (Vector::new(), Vec::new());
        let mut left = Vec::new();
        for step in steps {
            match step {
                Step::Push(item) => { vector.push(item); model.push(item); }
                Step::PushMany(count) => for item in 0..u32::try_from(count).unwrap() {
                    vector.push(item);
                    model.push(item);
                },
                Step::Set(at, item) if !model.is_empty() => {
                    let at = at.index(model.len());
                    *vector.get_mut(at).unwrap() = item;
                    model[at] = item;
                }
                Step::Set(..) => prop_assert_eq!(vector.get_mut(0), None),
                Step::Clear => { vector.clear(); model.clear(); }
                Step::Clone => left.push((vector.clone(), model.clone())),
            }
            prop_assert_eq!(vector.get_mut(model.len()), None);
            same(&vector, &model)?;
        }
        for (vector, model) in &left {
            same(vector, model)?;
        }
        let json = serde_json::to_string(&vector).unwrap();
        prop_assert_eq!(&json, &serde_json::to_string(&model).unwrap());
        prop_assert_eq!(&serde_json::from_str::<Vector<u32>>(&json).unwrap(), &vector);
    }
}

fn places(vector: &Vector<u32>) -> Vec<*const u32> {
    vector.iter().map(std::ptr::from_ref).collect()
}

/// How many items of a changed clone are not where they are in what it was cloned from.
fn moved(len: u32, change: impl Fn(&mut Vector<u32>)) -> usize {
    let old: Vector<u32> = (0..len).collect();
    let (before, mut new) = (places(&old), old.clone());
    change(&mut new);
    let after = places(&new);
    assert_eq!(places(&old), before, "what was cloned from stays");
    before.iter().zip(&after).filter(|(before, after)| before != after).count()
}

#[test]
fn s13_10_a_change_of_a_clone_copies_few_items_however_many_there_are() {
    for len in [31, 32, 33, 1_023, 1_024, 1_025, 1_056, 32_767, 32_768, 32_769, 50_000] {
        assert!(moved(len, |all| all.push(1)) < 32, "{len} items and a push");
        for at in [0, 31, 32, len as usize / 2, len as usize - 1] {
            let set = |all: &mut Vector<u32>| {
                if let Some(item) = all.get_mut(at) {
                    *item = 7;
                }
            };
            // Those of its leaf, and those at the end.
            assert!(moved(len, set) < 64, "{len} items and a change of {at}");
        }
    }
}

#[test]
fn equal_are_those_with_the_same_items_however_they_came_about() {
    for len in [31u32, 32, 33, 1_024, 1_025, 2_000] {
        let all: Vector<u32> = (0..len).collect();
        for at in [0, len / 2, len - 1] {
            let mut other = all.clone();
            *other.get_mut(at as usize).unwrap() += 1;
            assert_ne!(other, all, "{at} of {len}");
            *other.get_mut(at as usize).unwrap() -= 1;
            assert_eq!(other, all, "{at} of {len}");
        }
        let mut longer = all.clone();
        longer.push(len);
        assert_ne!(longer, all);
        assert_eq!(longer, (0..=len).collect());
    }
}
