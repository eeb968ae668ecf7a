# Does the same as verify.py, with modules that come with Perl.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_base64);
use JSON::PP;
use MIME::Base64;
$| = 1;

while (my $line = <STDIN>) {
    my $request = decode_json($line);
    my $secret = $request->{secret} =~ s/^whsec_//r;
    my $content = "$request->{id}.$request->{timestamp}." . pack('H*', $request->{body});
    # hmac_sha256_base64 omits the padding.
    my $expected = hmac_sha256_base64($content, decode_base64($secret)) . '=';
    if ($request->{do} eq 'sign') { print "v1,$expected\n"; next }
    my $is_fresh = abs(time() - $request->{timestamp}) <= 300;
    my $is_signed = grep { $_ eq "v1,$expected" } split / /, $request->{signature};
    print $is_fresh && $is_signed ? "true\n" : "false\n";
}
