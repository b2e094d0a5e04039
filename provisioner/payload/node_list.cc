#include "provisioner/payload/node_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/csv_reader.h"

namespace prov::payload {
namespace {

enum Column : std::size_t { kName, kAddress, kGateway, kDns, kMac, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames = {"name", "address", "gateway", "dns", "mac"};
constexpr std::size_t kNameLimit = 15;  // of NetBIOS names; a ComputerName is one

using Row = std::array<CsvField, kColumns>;

std::optional<Column> ColumnOf(std::string_view name) {
  const auto found = std::ranges::find(kColumnNames, name);
  if (found == kColumnNames.end()) return std::nullopt;
  return static_cast<Column>(found - kColumnNames.begin());
}

std::string UnknownColumn(std::string_view name) {
  const std::string closest = DidYouMean(name, kColumnNames);
  return fmt::format("the column \"{}\" is not known: known are {}{}", name, fmt::join(kColumnNames, ", "),
                     closest.empty() ? "" : "; " + closest);
}

bool IsNameCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '-'; }

// The faults of a list, one for each bad row, as one error with the place of the first.
std::unexpected<Error> Together(std::vector<Error> faults, bool all, std::string_view file) {
  if (faults.size() == 1) return std::unexpected(std::move(faults.front()));
  std::string message = fmt::format("{} rows{} are wrong", faults.size(), all ? "" : " or more");
  for (const Error& fault : faults) {
    const std::string_view place = std::string_view(fault.where).substr(file.size() + 2);  // "FILE: PLACE"
    message += fmt::format("{} {}: {}", &fault == &faults.front() ? ":" : ";", place, fault.message);
  }
  return Fail(Code::kRow, std::move(message), faults.front().where);
}

// Turns rows into nodes. Each check fails with the place of its cell.
class Checker {
 public:
  explicit Checker(std::string_view file) : file_(file) {}

  Result<void> Add(const Row& row) {
    if (nodes_.size() == kMostNodes) return Refuse(row[kName], fmt::format("more than {} nodes", kMostNodes));
    Node node;
    node.name = PROV_TRY(Name(row[kName]));
    if (!row[kAddress].text.empty()) {
      node.network = PROV_TRY(Network(row));
    } else {
      for (const Column column : {kGateway, kDns, kMac}) {
        if (!row[column].text.empty())
          return Refuse(row[column],
                        fmt::format("{} is of use with an address only; give one, too", kColumnNames[column]));
      }
    }
    nodes_.push_back(std::move(node));
    return {};
  }

  Result<std::vector<Node>> Finish() {
    if (nodes_.empty())
      return Fail(Code::kRow, "the list names no node; give each a row, with its name", std::string(file_));
    std::ranges::sort(nodes_, {}, &Node::name);
    return std::move(nodes_);
  }

 private:
  std::unexpected<Error> Refuse(const CsvField& cell, std::string message) const {
    return Fail(Code::kRow, std::move(message), Describe(file_, cell.place));
  }

  Result<std::string> Name(const CsvField& cell) {
    const std::string& name = cell.text;
    if (name.empty()) return Refuse(cell, "the node has no name");
    if (name.size() > kNameLimit)
      return Refuse(cell, fmt::format("\"{}\" has {} characters; Windows takes names of up to {}", name, name.size(),
                                      kNameLimit));
    if (!std::ranges::all_of(name, IsNameCharacter) || name.front() == '-' || name.back() == '-')
      return Refuse(cell,
                    fmt::format("\"{}\" is not a host name; use letters, digits and, between them, hyphens", name));
    if (AreDigits(name))
      return Refuse(
          cell,
          fmt::format("\"{}\" consists of digits only, which Windows does not accept as a name; add a letter", name));
    if (EqualsIgnoreAsciiCase(name, "localhost"))
      return Refuse(cell, "\"localhost\" is each machine's name for itself; give the node another");
    if (!IsSafeRelativePath(name)) return Refuse(cell, fmt::format("\"{}\" is the name of a device on Windows", name));
    const auto [earlier, fresh] = names_.emplace(AsciiLower(name), cell.place.line);
    if (fresh) return name;
    return Refuse(cell, fmt::format("\"{}\" is the name of the node in line {}, too; upper and lower case are the same",
                                    name, earlier->second));
  }

  Result<NodeNetwork> Network(const Row& row) {
    const CsvField& cell = row[kAddress];
    NodeNetwork out;
    const std::size_t slash = cell.text.find('/');
    const auto address = IpAddress::Parse(cell.text.substr(0, slash));
    const auto network = IpNetwork::Parse(cell.text);
    if (!address || !network || network->prefix() == 0)
      return Refuse(cell, fmt::format("\"{}\" is not an address with its prefix, such as 10.0.0.5/24", cell.text));
    if (const std::string_view kind = ReservedKind(*address, *network); !kind.empty())
      return Refuse(cell, fmt::format("{} is {}, which no node can have", cell.text, kind));
    const auto [earlier, fresh] = addresses_.emplace(address->ToString(), cell.place.line);
    if (!fresh)
      return Refuse(cell, fmt::format("{} is the address of the node in line {}, too", cell.text, earlier->second));
    out.address = address->ToString();
    out.prefix = network->prefix();
    out.ipv4 = network->IsIpv4();
    out.gateway = PROV_TRY(Gateway(row[kGateway], *network, *address));
    out.dns = PROV_TRY(Dns(row[kDns]));
    out.mac = PROV_TRY(Mac(row[kMac]));
    return out;
  }

  Result<std::string> Gateway(const CsvField& cell, const IpNetwork& network, const IpAddress& own) const {
    if (cell.text.empty()) return std::string();
    const auto gateway = IpAddress::Parse(cell.text);
    if (!gateway) return Refuse(cell, fmt::format("\"{}\" is not the address of a gateway", cell.text));
    if (*gateway == own) return Refuse(cell, fmt::format("the gateway {} is the node itself", cell.text));
    const std::string_view kind = network.IsIpv4() ? ReservedKind(*gateway, network) : ReservedKind(*gateway);
    if (!kind.empty()) return Refuse(cell, fmt::format("{} is {}, which no gateway can have", cell.text, kind));
    // An IPv6 gateway is often a link-local address, outside the node's network.
    const bool reachable = network.IsIpv4() ? network.Contains(*gateway) : !gateway->IsIpv4();
    if (reachable) return gateway->ToString();
    return Refuse(cell, fmt::format("the gateway {} is not in the node's network {}", cell.text, network.ToString()));
  }

  Result<std::vector<std::string>> Dns(const CsvField& cell) const {
    std::vector<std::string> out;
    std::string list = cell.text;
    std::ranges::replace_if(list, [](char c) { return c == ',' || c == ';' || c == '\t'; }, ' ');
    for (const std::string_view word : Split(list, ' ')) {
      if (word.empty()) continue;
      const auto address = IpAddress::Parse(word);
      if (!address) return Refuse(cell, fmt::format("\"{}\" is not the address of a DNS server", word));
      // A loopback address is fine: a node may run its own resolver.
      if (const std::string_view kind = ReservedKind(*address); !kind.empty() && !address->IsLoopback())
        return Refuse(cell, fmt::format("{} is {}, which no DNS server has", word, kind));
      out.push_back(address->ToString());
    }
    return out;
  }

  Result<std::string> Mac(const CsvField& cell) {
    if (cell.text.empty()) return std::string();
    std::string out = AsciiLower(cell.text);
    std::ranges::replace(out, '-', ':');
    std::string digits;
    const std::vector<std::string_view> parts = Split(out, ':');
    const bool pairs = parts.size() == 6 && std::ranges::all_of(parts, [](auto part) { return part.size() == 2; });
    for (const std::string_view part : parts) digits += part;
    if (!pairs || !FromHex(digits))
      return Refuse(cell, fmt::format("\"{}\" is not a MAC address such as 00-15-5D-0A-0B-0C", cell.text));
    if (*FromHex(digits) == std::string(6, '\0') || (FromHex(digits)->front() & 1) != 0)
      return Refuse(cell,
                    fmt::format("{} is not the MAC address of an adapter: it is zero or a group address", cell.text));
    const auto [earlier, fresh] = macs_.emplace(out, cell.place.line);
    if (fresh) return out;
    return Refuse(cell, fmt::format("{} is the MAC address of the node in line {}, too", cell.text, earlier->second));
  }

  std::string_view file_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> names_;  // name in lower case, line
  std::unordered_map<std::string, std::size_t> addresses_;
  std::unordered_map<std::string, std::size_t> macs_;
};

Result<std::vector<Column>> ReadHeader(const std::vector<CsvField>& fields, std::string_view file) {
  const auto refuse = [&](const CsvField& field, std::string message) {
    return Fail(Code::kRow, std::move(message), Describe(file, field.place));
  };
  std::vector<Column> out;
  for (const CsvField& field : fields) {
    const std::string name(TrimBlanks(field.text));
    const auto column = ColumnOf(name);
    if (!column && fields.size() == 1 && name.find_first_of(";\t") != std::string::npos)
      return refuse(field, "the columns must be separated by commas");
    if (!column) return refuse(field, UnknownColumn(name));
    if (std::ranges::find(out, *column) != out.end())
      return refuse(field, fmt::format("the column \"{}\" is there twice", name));
    out.push_back(*column);
  }
  if (std::ranges::find(out, kName) == out.end())
    return refuse(fields.front(), "the first line must name the columns, and \"name\" is not among them");
  return out;
}

Result<void> AddCsvRow(const std::vector<CsvField>& fields, const std::vector<Column>& columns, std::string_view file,
                       Checker& checker) {
  if (fields.size() != columns.size()) {
    return Fail(Code::kRow, fmt::format("the row has {} fields, the first line {}", fields.size(), columns.size()),
                Describe(file, fields.front().place));
  }
  Row row;
  row.fill({{}, fields.front().place});
  for (std::size_t i = 0; i < columns.size(); ++i)
    row[columns[i]] = {std::string(TrimBlanks(fields[i].text)), fields[i].place};
  return checker.Add(row);
}

Result<std::vector<Node>> ReadCsv(std::string_view text, std::string_view file) {
  CsvReader reader(text, file);
  Checker checker(file);
  const auto header = PROV_TRY(reader.Next());
  if (!header) return checker.Finish();
  const std::vector<Column> columns = PROV_TRY(ReadHeader(*header, file));
  constexpr std::size_t kMostFaults = 20;  // a list with more is probably the wrong file
  std::vector<Error> faults;
  while (faults.size() < kMostFaults) {
    const auto fields = reader.Next();
    if (!fields) {  // the beginning of the next row is unknown
      faults.push_back(fields.error());
      break;
    }
    if (!*fields) break;
    const Result<void> added = AddCsvRow(**fields, columns, file, checker);
    if (!added) faults.push_back(added.error());
  }
  const bool all = faults.size() < kMostFaults;
  if (!faults.empty()) return Together(std::move(faults), all, file);
  return checker.Finish();
}

}  // namespace

Result<std::vector<Node>> ReadNodeList(std::string_view bytes, std::string_view file) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (!IsUtf8(bytes) || bytes.find('\0') != std::string_view::npos)
    return Fail(Code::kRow, "the list is not UTF-8; save it as such", std::string(file));
  return ReadCsv(bytes, file);
}

}  // namespace prov::payload
