//! How much insulin a pump gives: a decision in Rust, checked in as bitcode too, so that no test needs a Rust compiler.
//!
//! rustc 1.95.0: rustc --edition 2021 -g -C opt-level=2 -C panic=abort --remap-path-prefix="$PWD=." --emit=llvm-bc -o dose.bc dose.rs
#![crate_type = "lib"]
#![no_std]

#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub enum Trend { Falling = 0, Steady = 1, Rising = 2 }

#[repr(C)]
pub struct Reading { pub glucose: f32, pub trend: Trend, pub age: u16 }

#[repr(C)]
pub struct Dose { pub units: f32, pub alarm: bool }

#[no_mangle]
pub extern "C" fn decide(reading: &Reading, dose: &mut Dose) {
    let urgent = match reading.trend { Trend::Rising => 1.5, Trend::Steady => 1.0, Trend::Falling => 0.5 };
    dose.alarm = reading.age > 30 || reading.glucose < 3.5;
    let above = if reading.glucose > 8.0 { reading.glucose - 8.0 } else { 0.0 };
    dose.units = if dose.alarm { 0.0 } else { (above * urgent).min(6.0) };
}
