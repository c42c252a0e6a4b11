//! JSON in and out. In: settings, as changes to what is there; what is not named stays, `null` brings a default back.
//! Out: `json!`, which reads like that of `serde_json`.
//!
//! Both by hand, because of the WebAssembly's size: derived code for the settings was more than all the rest, and
//! `serde_json`'s macro puts much code at each of its many places.

use crate::error::SimulatorError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Something that JSON can change.
pub(crate) trait Patch {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError>;
}

/// A new value from JSON.
pub(crate) fn read<T: Patch + Default>(value: &Value) -> Result<T, SimulatorError> {
    let mut read = T::default();
    read.patch(value)?;
    Ok(read)
}

pub(crate) fn expected(what: &str, value: &Value) -> SimulatorError {
    SimulatorError(format!("{what} is expected, not {value}"))
}

pub(crate) fn unknown_field(name: &str) -> SimulatorError {
    SimulatorError(format!("there is no \"{name}\""))
}

impl SimulatorError {
    /// Says in which field it was.
    pub(crate) fn within(self, field: &str) -> Self {
        Self(format!("{field}: {}", self.0))
    }
}

/// A choice out of several: a text, or an object with one field that holds more about it.
pub(crate) fn choice(value: &Value) -> Option<(&str, &Value)> {
    match value {
        Value::String(name) => Some((name, &Value::Null)),
        Value::Object(fields) if fields.len() == 1 => {
            fields.iter().next().map(|(name, more)| (name.as_str(), more))
        }
        _ => None,
    }
}

impl Patch for bool {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = value.as_bool().ok_or_else(|| expected("true or false", value))?;
        Ok(())
    }
}

impl Patch for f64 {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = value.as_f64().ok_or_else(|| expected("a number", value))?;
        Ok(())
    }
}

impl Patch for u64 {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = value.as_u64().ok_or_else(|| expected("a whole number from 0", value))?;
        Ok(())
    }
}

impl Patch for u32 {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = u32::try_from(read::<u64>(value)?).map_err(|_| expected("a smaller number", value))?;
        Ok(())
    }
}

impl Patch for u16 {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = u16::try_from(read::<u64>(value)?).map_err(|_| expected("a smaller number", value))?;
        Ok(())
    }
}

impl Patch for String {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        value.as_str().ok_or_else(|| expected("a text", value))?.clone_into(self);
        Ok(())
    }
}

impl Patch for Value {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        self.clone_from(value);
        Ok(())
    }
}

/// A pair of a header's name and value.
impl Patch for (String, String) {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        let [name, text] =
            read::<Vec<String>>(value)?.try_into().map_err(|_| expected("a pair of texts", value))?;
        *self = (name, text);
        Ok(())
    }
}

impl<T: Patch + Default> Patch for Option<T> {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        let mut changed = self.take().unwrap_or_default();
        changed.patch(value)?;
        *self = Some(changed);
        Ok(())
    }
}

impl<T: Patch + Default> Patch for Vec<T> {
    fn patch(&mut self, value: &Value) -> Result<(), SimulatorError> {
        *self = value
            .as_array()
            .ok_or_else(|| expected("an array", value))?
            .iter()
            .map(read)
            .collect::<Result<_, _>>()?;
        Ok(())
    }
}

/// Implements `Patch` for a struct, whose fields are named in JSON as given.
macro_rules! fields {
    ($type:ty: $($field:ident $name:literal),+ $(,)?) => {
        impl crate::json::Patch for $type {
            fn patch(&mut self, value: &serde_json::Value) -> Result<(), crate::error::SimulatorError> {
                let fields = value.as_object().ok_or_else(|| crate::json::expected("an object", value))?;
                for (name, value) in fields {
                    let mut default = if value.is_null() { Some(<$type>::default()) } else { None };
                    let done = match (name.as_str(), &mut default) {
                        $(($name, Some(default)) => {
                            std::mem::swap(&mut self.$field, &mut default.$field);
                            Ok(())
                        }
                        ($name, None) => self.$field.patch(value),)+
                        _ => return Err(crate::json::unknown_field(name)),
                    };
                    done.map_err(|error: crate::error::SimulatorError| error.within(name))?;
                }
                Ok(())
            }
        }
    };
}

/// Implements `Patch` for an enum without data, and `name`, which gives the name that JSON has for a value.
macro_rules! names {
    ($type:ty: $($variant:ident $name:literal),+ $(,)?) => {
        impl $type {
            #[allow(dead_code, reason = "not every enum is also written")]
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl crate::json::Patch for $type {
            fn patch(&mut self, value: &serde_json::Value) -> Result<(), crate::error::SimulatorError> {
                *self = match value.as_str() {
                    $(Some($name) => Self::$variant,)+
                    _ => return Err(crate::json::expected(concat!("one of", $(" ", $name),+), value)),
                };
                Ok(())
            }
        }
    };
}

/// Something that can be said in JSON.
pub(crate) trait ToJson {
    fn to_json(&self) -> Value;
}

impl ToJson for Value {
    fn to_json(&self) -> Value {
        self.clone()
    }
}

impl ToJson for str {
    fn to_json(&self) -> Value {
        Value::String(self.to_owned())
    }
}

impl ToJson for String {
    fn to_json(&self) -> Value {
        self.as_str().to_json()
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }
}

impl ToJson for (String, String) {
    fn to_json(&self) -> Value {
        json!([self.0, self.1])
    }
}

impl ToJson for BTreeMap<String, u64> {
    fn to_json(&self) -> Value {
        Value::Object(self.iter().map(|(key, value)| (key.clone(), Value::from(*value))).collect())
    }
}

macro_rules! plain {
    ($($type:ty),+) => {
        $(impl ToJson for $type {
            fn to_json(&self) -> Value {
                Value::from(*self)
            }
        })+
    };
}

plain!(bool, i32, u16, u32, u64, usize, f64);

/// The fields of `json!` as an object. Takes the values out of the slice, so that this is compiled once.
pub(crate) fn object(fields: &mut [(&str, Value)]) -> Value {
    let take = |(key, value): &mut (&str, Value)| ((*key).to_owned(), value.take());
    Value::Object(fields.iter_mut().map(take).collect::<Map<_, _>>())
}

/// A value, written as in `serde_json`; the keys of objects are literals.
macro_rules! json {
    (@object [$($done:expr,)*]) => { crate::json::object(&mut [$($done),*]) };
    (@object [$($done:expr,)*] $key:literal: null $(, $($rest:tt)*)?) => {
        crate::json::json!(@object [$($done,)* ($key, serde_json::Value::Null),] $($($rest)*)?)
    };
    (@object [$($done:expr,)*] $key:literal: {$($value:tt)*} $(, $($rest:tt)*)?) => {
        crate::json::json!(@object [$($done,)* ($key, crate::json::json!({$($value)*})),] $($($rest)*)?)
    };
    (@object [$($done:expr,)*] $key:literal: [$($value:tt)*] $(, $($rest:tt)*)?) => {
        crate::json::json!(@object [$($done,)* ($key, crate::json::json!([$($value)*])),] $($($rest)*)?)
    };
    (@object [$($done:expr,)*] $key:literal: $value:expr $(, $($rest:tt)*)?) => {
        crate::json::json!(@object [$($done,)* ($key, crate::json::json!($value)),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*]) => { serde_json::Value::Array(vec![$($done),*]) };
    (@array [$($done:expr,)*] {$($value:tt)*} $(, $($rest:tt)*)?) => {
        crate::json::json!(@array [$($done,)* crate::json::json!({$($value)*}),] $($($rest)*)?)
    };
    (@array [$($done:expr,)*] $value:expr $(, $($rest:tt)*)?) => {
        crate::json::json!(@array [$($done,)* crate::json::json!($value),] $($($rest)*)?)
    };
    ({}) => { serde_json::Value::Object(serde_json::Map::new()) };
    ({$($fields:tt)*}) => { crate::json::json!(@object [] $($fields)*) };
    ([$($items:tt)*]) => { crate::json::json!(@array [] $($items)*) };
    ($value:expr) => { crate::json::ToJson::to_json(&$value) };
}

pub(crate) use {fields, json, names};

#[cfg(test)]
mod tests {

    #[test]
    fn values_are_the_same_as_with_serde() {
        let (text, list, none) = ("größe \"", vec![1_u64, 2], None::<u64>);
        let ours = json!({
            "a": {"b": [1, {"c": null}, "x"]}, "text": text, "list": list, "none": none, "half": 0.5, "empty": {},
            "sum": 1 + 1, "items": [],
        });
        let theirs = serde_json::json!({
            "a": {"b": [1, {"c": null}, "x"]}, "text": text, "list": list, "none": none, "half": 0.5, "empty": {},
            "sum": 1 + 1, "items": [],
        });
        assert_eq!(ours.to_string(), theirs.to_string());
    }
}
