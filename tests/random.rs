//! Random programs and plans, a few hundred in the normal test run; `cargo xtask soak` runs ten thousand.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use filetests::faults::inject_faults;
use filetests::gradients::check_gradients;
use filetests::soak::check_random_programs;
use filetests::train_soak;

#[test]
fn random_programs_agree() {
    match check_random_programs(300, 12, 1) {
        Ok(soaked) => println!("{} agreed, {} rejected\n{}", soaked.agreed, soaked.rejected, soaked.coverage),
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn random_plans_agree() {
    match train_soak::check_random_plans(400, 1) {
        Ok(tally) => {
            println!("{tally}");
            assert_eq!(tally.missing(), Vec::<&str>::new(), "{tally}");
        }
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn faults_are_detected() {
    match inject_faults(20, 1) {
        Ok(tallies) => {
            println!("{tallies}");
            assert!(tallies.harmless_share() <= 0.05, "{tallies}");
        }
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn gradients_agree() {
    match check_gradients(150, 8, 1) {
        Ok(tally) => {
            println!("{tally}");
            assert!(tally.is_conclusive(), "{tally}");
        }
        Err(why) => panic!("{why}"),
    }
}
