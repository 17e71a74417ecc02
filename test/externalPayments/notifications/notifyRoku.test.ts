import { garbage, storeNotifications } from '../../support/storeNotifications';
import { type Sending } from '../../../scripts/storeSimulator/face';

const told = storeNotifications('roku', { answer: expect.stringMatching(/^[\da-f-]{36}$/), forgeries });

test('503 service_unavailable: what signs it cannot be fetched just now, so that it is sent again', () =>
  told.isAskedForAgainWhileKeysAreAway());

test('200: it is verified, kept sealed, and answered', () => told.isKeptSealed());

test('200: the same one five times at once is kept once', () => told.isKeptOnce());

test('200: the purchase is looked at again, whatever it says', () => told.hasThePurchaseLookedAt());

test('200: of a purchase that nobody has claimed yet it is kept, and the claim finds the present state', () =>
  told.isKeptForALaterClaim());

test.each(garbage)('400 invalid_signature: %s', (_what, body) => told.isRefusedWith(body));

test('400 invalid_signature: forged, nothing is kept and nothing is looked at', () => told.isRefusedWhenForged());

test('400 invalid_signature: of an app that is no merchant’s', () => told.isRefusedOfAStrangersApp());

/** Changed after it was signed, of another channel, and unsigned. */
function forgeries(sending: Sending): Sending[] {
  const [header = '', payload = '', signature = ''] = sending.body.split('.');
  const swapped = payload.startsWith('eyJ') ? `${payload.slice(0, -2)}AA` : payload;
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
  return [`${header}.${swapped}.${signature}`, `${unsigned}.${payload}.`, `${header}.${payload}.`].map((body) => ({
    ...sending,
    body,
  }));
}
