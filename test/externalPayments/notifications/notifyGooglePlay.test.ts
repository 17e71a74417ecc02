import { garbage, storeNotifications } from '../../support/storeNotifications';
import { type StoreShop } from '../../support/stores';
import { type Sending } from '../../../scripts/storeSimulator/face';

const told = storeNotifications('google-play', { answer: expect.stringContaining('Received'), forgeries });

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
    JSON.stringify({ message: { data: Buffer.from('{"packageName":{"a":[1]}}').toString('base64') } }),
  ],
])('400 invalid_signature: %s', (_what, body) => told.isRefusedWith(body));

test('400 invalid_signature: forged, nothing is kept and nothing is looked at', () => told.isRefusedWhenForged());

test('400 invalid_signature: of an app that is no merchant’s', () => told.isRefusedOfAStrangersApp());

/** Without a token, with one for another audience, and of another service account. */
function forgeries(sending: Sending, { apps, stores }: StoreShop): Sending[] {
  const app = apps['google-play'];
  const claims = {
    iss: 'https://accounts.google.com',
    aud: app.pushAudience,
    email: app.pushServiceAccount,
    email_verified: true,
  };
  const tokens = [
    stores.googlePlay.signPush({ ...claims, aud: 'https://elsewhere.example.org' }),
    stores.googlePlay.signPush({ ...claims, email: 'somebody@example.iam.gserviceaccount.com' }),
    'a.b.c',
    '',
  ];
  return tokens.map((token) => ({ ...sending, headers: { ...sending.headers, Authorization: `Bearer ${token}` } }));
}
