#!/usr/bin/env perl
# A small receiver without dependencies. It is correct unless DEFECT selects a defect.
use strict;
use warnings;
use Digest::SHA qw(sha256_hex hmac_sha256 hmac_sha256_hex);
use Encode qw(encode);
use IO::Socket::INET;
use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64);
use Time::Local qw(timegm_modern);

my $secret = $ENV{WEBHOOK_SECRET} or die "Set WEBHOOK_SECRET.\n";
my $defect = $ENV{DEFECT} // "";
my $is_standard = ($ENV{SCHEME} // "") eq "standard-webhooks";
my $limit = 256 * 1024;
my %routes = ("/test" => "GET", "/test/auth" => "GET", "/contact-suggestions" => "POST", "/offer/response" => "POST");
my @secrets = $defect eq "empty_secret" ? ($secret, "") : ($secret);
my %reasons = (200 => "OK", 400 => "Bad Request", 401 => "Unauthorized", 404 => "Not Found", 405 => "Method Not Allowed",
    408 => "Request Timeout", 411 => "Length Required", 413 => "Content Too Large", 431 => "Header Fields Too Large", 500 => "Error");

sub is_equal {
    my ($expected, $given) = @_;
    return index($expected, $given) == 0 if $defect eq "prefix_compare";
    return 0 if length $expected != length $given;
    my $difference = 0;
    $difference |= ord(substr $expected, $_, 1) ^ ord(substr $given, $_, 1) for 0 .. length($expected) - 1;
    return $difference == 0;
}

# Returns the value of a header that occurs once, otherwise undef.
sub header {
    my ($headers, $name) = @_;
    my @values = @{ $headers->{$name} // [] };
    return $values[-1] if $defect eq "second_header_wins";
    return undef if @values != 1;
    (my $text = $values[0]) =~ s/v1,//g;
    return $text =~ /,/ ? undef : $values[0];
}

sub is_fresh {
    my $age = time - shift;
    return 1 if $defect eq "no_freshness";
    return $age <= 300 && ($defect eq "one_direction" || $age >= -300);
}

sub is_documented {
    my $headers = shift;
    my ($timestamp, $authorization) = map { header($headers, $_) } qw(timestamp authorization);
    return 0 unless defined $timestamp && defined $authorization;
    my $digits = $defect eq "prefix_compare" ? "{0,64}" : "{64}";
    return 0 unless $authorization =~ /\Ahmac +([0-9a-f]$digits)\z/i;
    my $given = lc $1;
    return 0 unless $timestamp =~ /\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z\z/a;
    my $signed_at = eval { timegm_modern($6 // 0, $5, $4, $3, $2 - 1, $1) };
    return 0 unless defined $signed_at && is_fresh($signed_at);
    for my $each (@secrets) {
        return 1 if is_equal(sha256_hex($timestamp . $each), $given);
        return 1 if is_equal(hmac_sha256_hex($timestamp, $each), $given);
    }
    return 0;
}

sub is_standard {
    my ($headers, $body) = @_;
    my ($id, $timestamp, $signatures) = map { header($headers, "webhook-$_") } qw(id timestamp signature);
    return 0 unless defined $id && defined $signatures && ($timestamp // "") =~ /\A\d{1,12}\z/a;
    return 0 unless is_fresh($timestamp);
    if ($defect eq "reserialised_json" && $body ne "") {
        my $json = JSON::PP->new->utf8->canonical;
        $body = $json->encode($json->decode($body));
    }
    for my $each (@secrets) {
        my $key = decode_base64($each =~ s/\Awhsec_//r);
        my $expected = encode_base64(hmac_sha256("$id.$timestamp.$body", $key), "");
        for my $signature (split / /, $signatures) {
            return 1 if $signature =~ /\Av1,(.*)\z/ && is_equal($expected, $1);
        }
    }
    return 0;
}

sub receive {
    my ($method, $target, $headers, $read_body) = @_;
    my ($path) = split /\?/, $target;
    my $routed = $path;
    if ($defect eq "path_confusion") {
        $routed =~ s/%([0-9a-f]{2})/chr hex $1/gei;
        $routed = lc($routed) =~ s{/+}{/}gr;
    }
    my $allowed = $routes{$routed} or return (404);
    return (405, "Allow: $allowed") if $method ne $allowed && $defect ne "method_ignored";
    my $length = $headers->{"content-length"}[0] // 0;
    return (400) unless $length =~ /\A\d+\z/a;
    my $most = $defect eq "body_unlimited" ? 9**15 : $limit;
    return (413) if $length > $most;
    my $body = $headers->{"transfer-encoding"} ? read_chunks($read_body, $most) : $read_body->($length);
    return (413) unless defined $body;
    # With the defect path_confusion, the path as sent decides whether to verify, but the normalised path selects the route.
    if ($routes{$path} && $path ne "/test" && !($is_standard ? is_standard($headers, $body) : is_documented($headers))) {
        return (500) if $defect eq "error_on_bad_signature";
        return (401, "WWW-Authenticate: " . ($is_standard ? "standard-webhooks" : "hmac"));
    }
    return (200) if $routed ne "/contact-suggestions";
    my $search = eval { JSON::PP->new->utf8->decode($body) };
    my $addresses = ref $search eq "HASH" ? $search->{userEmailAddresses} : undef;
    return (400) if ref $addresses ne "ARRAY" || grep { !defined || ref } @$addresses;
    return (200, "Content-Type: application/json", "[]");
}

# Returns the chunks up to the last chunk or an invalid chunk. Returns undef if they are too large.
sub read_chunks {
    my ($read_body, $most) = @_;
    my $body = "";
    while (1) {
        my $line = "";
        $line .= $read_body->(1) until $line =~ /\n\z/ || length $line > 32;
        my $size = $line =~ /\A([0-9a-f]{1,8})/i ? hex $1 : 0;
        return $body if $size == 0;
        return undef if length($body) + $size > $most;
        $body .= $read_body->($size);
        $read_body->(2);
    }
}

sub serve {
    my $client = shift;
    my $buffer = "";
    local $SIG{ALRM} = sub { respond($client, 408); exit };
    alarm 10 unless $defect eq "body_unlimited";
    until ($buffer =~ /\r\n\r\n/) {
        return respond($client, 431) if length $buffer > 32 * 1024;
        return unless sysread $client, $buffer, 16 * 1024, length $buffer;
    }
    $buffer =~ s/\A(.*?)\r\n\r\n//s;
    my ($start, @lines) = split /\r\n/, $1;
    return respond($client, 400) unless $start =~ m{\A([!#\$%&'*+.^_`|~0-9A-Za-z-]+) (/\S*) HTTP/1\.[01]\z};
    my ($method, $target) = ($1, $2);
    my %headers;
    for (@lines) {
        return respond($client, 400) unless /\A([!#\$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*\z/;
        push @{ $headers{ lc $1 } }, $2;
    }
    return respond($client, 400) if $start =~ /1\.1\z/ && !$headers{host};
    my $read_body = sub {
        my $length = shift;
        while (length $buffer < $length) { sysread($client, $buffer, 64 * 1024, length $buffer) or exit }
        return substr $buffer, 0, $length, "";
    };
    respond($client, receive($method, $target, \%headers, $read_body));
}

sub respond {
    my ($client, $status, $header, $body) = @_;
    $body //= "";
    my @lines = ("HTTP/1.1 $status $reasons{$status}", $header // (), "Content-Length: " . length $body, "Connection: close");
    syswrite $client, join("\r\n", @lines) . "\r\n\r\n$body";
    shutdown $client, 1;
}

$SIG{CHLD} = "IGNORE";
$SIG{PIPE} = "IGNORE";
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ENV{PORT} // 0, Listen => 128, ReuseAddr => 1) or die $!;
$| = 1;
print "listening ", $server->sockport, "\n";
while (1) {
    my $client = $server->accept or next;
    my $child = fork;
    if (defined $child && $child == 0) { close $server; serve($client); exit }
    close $client;
}
