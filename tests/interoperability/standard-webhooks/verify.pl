# As verify.py, with modules that come with Perl.
use strict;
use warnings;
use Digest::SHA qw(hmac_sha256_base64);
use JSON::PP;
use MIME::Base64;
$| = 1;

while (my $line = <STDIN>) {
    my $given = decode_json($line);
    my $secret = $given->{secret} =~ s/^whsec_//r;
    my $content = "$given->{id}.$given->{timestamp}." . pack('H*', $given->{body});
    # The function leaves out the padding.
    my $expected = hmac_sha256_base64($content, decode_base64($secret)) . '=';
    if ($given->{do} eq 'sign') { print "v1,$expected\n"; next }
    my $is_fresh = abs(time() - $given->{timestamp}) <= 300;
    my $is_signed = grep { $_ eq "v1,$expected" } split / /, $given->{signature};
    print $is_fresh && $is_signed ? "true\n" : "false\n";
}
