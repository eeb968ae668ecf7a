# The story of the contract, run by a client that OpenAPI::Client generates from the document: no line of it is ours.
#   perl story.pl document.json http://127.0.0.1:PORT
use v5.36;
use Mojo::UserAgent;
use OpenAPI::Client;

my ($document, $platform) = @ARGV;
my $offers = OpenAPI::Client->new("file://$document", base_url => $platform);
$offers->ua->on(start => sub ($ua, $tx) {
  $tx->req->headers->header('X-UE-Api-Subscription-Key' => 'demo-key-harbour');
});

my $steps = 0;

sub step ($title, $tx, $status) {
  my $status_code = $tx->res->code // 'nothing';
  die "$title: got $status_code instead of $status\n" . ($tx->res->body // '') . "\n" unless $status_code eq $status;
  say sprintf '%2d  %-60s %s', ++$steps, $title, $status_code;
  return $tx->res->json;
}

my @workers = qw(worker_amal worker_ben worker_cleo);
my $creation = {
  createdByUserId => 'user_hana',
  title           => 'Kitchen help on Friday',
  workerIds       => [@workers],
  events          => [{start => '2099-05-01T16:00:00Z', end => '2099-05-01T22:00:00Z'}],
};

# The workers have an app, not the API: they are played with plain requests.
my $app = Mojo::UserAgent->new;

sub act ($worker, $action, $offer) {
  my $session = $app->post("$platform/worker-app/session" => json => {workerId => $worker, password => 'demo-password'});
  my $token = $session->res->json->{token};
  return $app->post("$platform/worker-app/offers/$offer/$action" => {Authorization => "Bearer $token"});
}

my $id = step('an offer is created', $offers->CreateOffer({}, json => $creation), 201)->{id};
step('a worker applies', act('worker_amal', 'apply', $id), 204);
step('another rejects', act('worker_ben', 'reject', $id), 204);

my $offer = step('the offer is read', $offers->GetOffer({id => $id}), 200);
my %responses = map { $_->{workerId} => $_->{response} } @{$offer->{recipients}};
die "the responses are wrong\n" unless "@responses{@workers}" eq 'applied rejected none';

my %version = ('api-version' => '1.0');
step('completing with who has not applied is refused',
  $offers->CompleteOffer({id => $id, %version}, json => ['worker_cleo']), 400);
step('the offer is completed', $offers->CompleteOffer({id => $id, %version}, json => ['worker_amal']), 204);
step('and a second time refused', $offers->CompleteOffer({id => $id, %version}, json => ['worker_amal']), 409);
die "the offer is not complete\n" unless step('it reads as complete', $offers->GetOffer({id => $id}), 200)->{complete};

my $second = step('a second offer is created', $offers->CreateOffer({}, json => $creation), 201)->{id};
step('and withdrawn', $offers->WithdrawOffer({id => $second}), 200);
step('again, to no harm', $offers->WithdrawOffer({id => $second}), 200);
die "it is not withdrawn\n" unless step('it reads as withdrawn', $offers->GetOffer({id => $second}), 200)->{widthdrawn};
step('an unknown offer is not found', $offers->GetOffer({id => 'offer_unknown'}), 404);

say "other language: $steps steps passed, 0 failed";
