//! Equality of programs, by equality saturation (Willsey et al., *egg: Fast and extensible equality saturation*, 2021).
//!
//! A [term](term::Term) is a value of the program on one device, or what the devices of a mesh have of one. What they
//! have is known by two things alone: the value, and the [place](place::Place), which is its layout with what is
//! pending and what was put into padding. So `part[P] x`, the part of `x` at the place `P`, is the same term whichever
//! collectives made it, and two programs are equal when their outputs are parts of the same values.
//!
//! [Laws](laws::Law) say which terms are equal. They are data with names, one file a family: [algebra](laws::algebra)
//! on whole values, [layouts](laws::layouts) (an op on parts is the part of the op, by the op's own rule) and
//! [collectives](laws::collectives) (each takes a part from place to place). Nobody else makes terms equal, and the
//! [analysis](term::Meaning) of an e-class refuses what does not agree in type and place: such a law would be our bug.
//!
//! [`prove`] reads a partitioned program into such terms and says that it is equal to the original, with the laws that
//! it took.

pub mod certificate;
pub mod extract;
pub mod laws;
pub mod place;
pub mod prove;
pub mod reading;
pub mod term;
pub mod window;
pub mod write;
