//! Random programs and plans, a few hundred in the normal run; `cargo xtask soak` takes ten thousand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use filetests::faults::inject;
use filetests::gradients::slopes;
use filetests::soak::soak;
use filetests::train_soak;

#[test]
fn random_programs_agree() {
    match soak(300, 12, 1) {
        Ok(soaked) => println!("{} agreed, {} refused\n{}", soaked.agreed, soaked.refused, soaked.coverage),
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn random_plans_agree() {
    match train_soak::soak(400, 1) {
        Ok(tally) => {
            println!("{tally}");
            assert_eq!(tally.missing(), Vec::<&str>::new(), "{tally}");
        }
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn faults_are_noticed() {
    match inject(20, 1) {
        Ok(tallies) => {
            println!("{tallies}");
            assert!(tallies.harmless() <= 0.05, "{tallies}");
        }
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn gradients_agree() {
    match slopes(150, 8, 1) {
        Ok(tally) => {
            println!("{tally}");
            assert!(tally.is_telling(), "{tally}");
        }
        Err(why) => panic!("{why}"),
    }
}
