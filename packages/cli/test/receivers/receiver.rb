# A small receiver without dependencies. It is correct unless DEFECT selects a defect.
require "json"
require "openssl"
require "socket"
require "time"
require "timeout"

SECRET = ENV.fetch("WEBHOOK_SECRET")
STANDARD = ENV["SCHEME"] == "standard-webhooks"
DEFECT = ENV.fetch("DEFECT", "")
LIMIT = 256 * 1024
ROUTES = { "/test" => "GET", "/test/auth" => "GET", "/contact-suggestions" => "POST", "/offer/response" => "POST" }.freeze
SECRETS = DEFECT == "empty_secret" ? [SECRET, ""] : [SECRET]
TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

def equal?(expected, given)
  return expected.start_with?(given) if DEFECT == "prefix_compare"
  expected.bytesize == given.bytesize && OpenSSL.fixed_length_secure_compare(expected, given)
end

# Returns the value of a header that occurs once, otherwise nil.
def header(headers, name)
  values = headers.fetch(name, [])
  return values.last if DEFECT == "second_header_wins"
  values.first if values.size == 1 && !values.first.gsub("v1,", "").include?(",")
end

def fresh?(signed_at)
  age = Time.now.to_f - signed_at
  return true if DEFECT == "no_freshness"
  DEFECT == "one_direction" ? age <= 300 : age.abs <= 300
end

def documented?(headers)
  timestamp, authorization = header(headers, "timestamp"), header(headers, "authorization")
  return false unless timestamp && authorization
  digits = DEFECT == "prefix_compare" ? "{0,64}" : "{64}"
  given = authorization[/\Ahmac +([0-9a-f]#{digits})\z/i, 1]&.downcase
  match = /\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z\z/.match(timestamp)
  return false unless given && match
  signed_at = begin
    year, month, day, hour, minute, second = match.captures.map(&:to_i)
    return false if day > 28 && Time.utc(year, month, day).day != day || hour > 23
    Time.utc(year, month, day, hour, minute, second).to_f
  rescue ArgumentError
    return false
  end
  return false unless fresh?(signed_at)
  SECRETS.any? do |secret|
    equal?(OpenSSL::Digest::SHA256.hexdigest(timestamp + secret), given) ||
      equal?(OpenSSL::HMAC.hexdigest("SHA256", secret, timestamp), given)
  end
end

def standard?(headers, body)
  id, timestamp, signatures = %w[id timestamp signature].map { |name| header(headers, "webhook-#{name}") }
  return false unless id && signatures && timestamp&.match?(/\A\d{1,12}\z/) && fresh?(timestamp.to_i)
  body = JSON.generate(JSON.parse(body)).b if DEFECT == "reserialised_json" && !body.empty?
  SECRETS.any? do |secret|
    key = secret.delete_prefix("whsec_").unpack1("m")
    expected = [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body)].pack("m0")
    signatures.split(" ").any? { |each| each.start_with?("v1,") && equal?(expected, each.delete_prefix("v1,")) }
  end
end

# Returns the chunks up to the last chunk or an invalid chunk. Returns nil if they are too large.
def read_chunks(client, most)
  body = "".b
  while (size = client.gets("\r\n", 32).to_s[/\A\h{1,8}/].to_i(16)) > 0
    return nil if body.bytesize + size > most
    body << client.read(size).to_s
    client.read(2)
  end
  body
end

def receive(method, target, headers, client)
  path = target.split("?", 2).first
  routed = path
  routed = path.gsub(/%\h\h/) { |code| code[1..].hex.chr }.downcase.gsub(%r{/+}, "/") if DEFECT == "path_confusion"
  allowed = ROUTES[routed] or return 404
  return 405, "Allow: #{allowed}" if method != allowed && DEFECT != "method_ignored"
  length = headers.fetch("content-length", ["0"]).first
  return 400 unless length.match?(/\A\d+\z/)
  most = DEFECT == "body_unlimited" ? Float::INFINITY : LIMIT
  return 413 if length.to_i > most
  body = headers.key?("transfer-encoding") ? read_chunks(client, most) : client.read(length.to_i) || ""
  return 413 unless body
  return 400 if body.bytesize < length.to_i
  # With the defect path_confusion, the path as sent decides whether to verify, but the normalised path selects the route.
  if ROUTES.key?(path) && path != "/test" && !(STANDARD ? standard?(headers, body) : documented?(headers))
    return 500 if DEFECT == "error_on_bad_signature"
    return 401, "WWW-Authenticate: #{STANDARD ? "standard-webhooks" : "hmac"}"
  end
  return 200 unless routed == "/contact-suggestions"
  search = JSON.parse(body.force_encoding("UTF-8"))
  addresses = search["userEmailAddresses"] if search.is_a?(Hash)
  return 400 unless addresses.is_a?(Array) && addresses.all?(String)
  [200, "Content-Type: application/json", "[]"]
rescue JSON::ParserError
  400
end

def read_head(client)
  start = client.gets("\r\n", 16_384)
  return unless start
  match = %r{\A(#{TOKEN}) (/\S*) HTTP/1\.[01]\r\n\z}n.match(start.b) or return [nil, nil, {}]
  headers = Hash.new { |hash, key| hash[key] = [] }
  size = 0
  while (line = client.gets("\r\n", 16_384)) && line != "\r\n"
    size += line.bytesize
    field = /\A(#{TOKEN}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*\r\n\z/n.match(line.b)
    return [nil, nil, {}] unless field && size < 32_768
    headers[field[1].downcase] << field[2]
  end
  headers.default_proc = nil
  [match[1], match[2], headers]
end

def serve(client)
  status, header, body = Timeout.timeout(10) do
    method, target, headers = read_head(client)
    return unless headers
    method && headers.key?("host") ? receive(method, target, headers, client) : 400
  end
  respond(client, status, header, body)
rescue Timeout::Error
  respond(client, 408)
rescue SystemCallError, IOError
  nil
ensure
  client.close
end

def respond(client, status, header = nil, body = "")
  body ||= ""
  lines = ["HTTP/1.1 #{status} Status", *header, "Content-Length: #{body.bytesize}", "Connection: close"]
  client.write("#{lines.join("\r\n")}\r\n\r\n#{body}")
  client.close_write
end

server = TCPServer.new("127.0.0.1", ENV.fetch("PORT", "0").to_i)
puts "listening #{server.addr[1]}"
$stdout.flush
loop { Thread.new(server.accept) { |client| serve(client) } }
