import { garbage, storeNotifications } from '../../support/storeNotifications';
import { type Sending } from '../../../scripts/storeSimulator/face';

const told = storeNotifications('amazon', { answer: expect.stringContaining('Received'), forgeries });

test('503 service_unavailable: what signs it cannot be fetched just now, so that it is sent again', () =>
  told.isAskedForAgainWhileKeysAreAway());

test('200: it is verified, kept sealed, and answered', () => told.isKeptSealed());

test('200: the same one five times at once is kept once', () => told.isKeptOnce());

test('200: the purchase is looked at again, whatever it says', () => told.hasThePurchaseLookedAt());

test('200: of a purchase that nobody has claimed yet it is kept, and the claim finds the present state', () =>
  told.isKeptForALaterClaim());

test.each([
  ...garbage,
  [
    'an app that is no text',
    JSON.stringify({ Type: 'Notification', Message: '{"appPackageName":{"a":[1]}}', TopicArn: [1] }),
  ],
])('400 invalid_signature: %s', (_what, body) => told.isRefusedWith(body));

test('400 invalid_signature: forged, nothing is kept and nothing is looked at', () => told.isRefusedWhenForged());

test('400 invalid_signature: of an app that is no merchant’s', () => told.isRefusedOfAStrangersApp());

/** Changed after it was signed, with a certificate from elsewhere, and without a signature. */
function forgeries(sending: Sending): Sending[] {
  const envelope = JSON.parse(sending.body) as Record<string, string>;
  const changes = [
    { Message: envelope['Message']?.replace('PURCHASED', 'CANCELLED') },
    { SigningCertURL: 'https://sns.example.org/cert.pem' },
    { Signature: '' },
  ];
  return changes.map((change) => ({ ...sending, body: JSON.stringify({ ...envelope, ...change }) }));
}
