// Tokens of the condition language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tegula/schema.h"

namespace tegula {

enum class TokenKind : std::uint8_t {
  end,
  number,       // value
  text,         // value, decoded
  bytes,        // value, decoded
  name,         // text
  quoted_name,  // value, decoded
  symbol,       // text
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t position = 0;
  std::string_view text;  // as written
  Value value;
};

// The token at or after `position`. Throws invalid_argument with the position when there is none.
Token next_token(std::string_view text, std::size_t position);

// For the end of a message: the position, and the text around it with a caret below.
std::string point_at(std::string_view text, std::size_t position);

}  // namespace tegula
