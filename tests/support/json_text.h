// JSON read and written by RapidJSON alone, for comparing with ours.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "provisioner/base/rapidjson.h"

namespace prov::testing_support {

inline rapidjson::Document ParsedJson(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  EXPECT_FALSE(document.HasParseError()) << text;
  return document;
}

// Without blanks.
template <class Value>
std::string JsonOf(const Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace prov::testing_support
