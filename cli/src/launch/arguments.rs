//! Arguments of the started command, with options removed.

/// Option of a command, by its name without dashes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LongOption<'a> {
    /// Has a value.
    WithValue(&'a str),
    /// May have a value, which does not begin with a dash.
    WithOptionalValue(&'a str),
}

/// Returns the arguments without some options and their values.
pub(super) fn without(arguments: &[String], removed: &[LongOption<'_>]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument.clone());
            kept.extend(rest.cloned());
            break;
        }
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument.as_str(), false),
        };
        let option = removed.iter().find(|option| {
            let (LongOption::WithValue(long) | LongOption::WithOptionalValue(long)) = option;
            name.strip_prefix("--") == Some(long)
        });
        match option {
            None => kept.push(argument.clone()),
            Some(_) if has_value => {}
            Some(LongOption::WithValue(_)) => drop(rest.next()),
            Some(LongOption::WithOptionalValue(_)) => drop(rest.next_if(|next| !next.starts_with('-'))),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::LongOption::{WithOptionalValue, WithValue};
    use super::without;

    #[test]
    fn options_are_removed_with_their_values() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let removed = [WithValue("mesh"), WithOptionalValue("resume")];
        for (before, after) in [
            ("train zoo:mlp --mesh data=4 --steps 3", "train zoo:mlp --steps 3"),
            ("train --mesh=data=4 zoo:mlp --resume --steps 3", "train zoo:mlp --steps 3"),
            ("train --resume folder zoo:mlp", "train zoo:mlp"),
            ("train zoo:mlp --resume=folder --meshes x", "train zoo:mlp --meshes x"),
            ("train zoo:mlp -- --mesh data=4", "train zoo:mlp -- --mesh data=4"),
        ] {
            assert_eq!(without(&words(before), &removed), words(after), "{before}");
        }
    }
}
