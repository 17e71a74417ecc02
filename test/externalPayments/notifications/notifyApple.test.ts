import { randomUUID } from 'node:crypto';
import { garbage, storeNotifications } from '../../support/storeNotifications';
import { type Sending } from '../../../scripts/storeSimulator/face';

const told = storeNotifications('apple', { answer: expect.stringContaining('Received'), forgeries });

test('200: it is verified, kept sealed, and answered', () => told.isKeptSealed());

test('200: the same one five times at once is kept once', () => told.isKeptOnce());

test('200: the purchase is looked at again, whatever it says', () => told.hasThePurchaseLookedAt());

test('200: of a purchase that nobody has claimed yet it is kept, and the claim finds the present state', () =>
  told.isKeptForALaterClaim());

test.each(garbage)('400 invalid_signature: %s', (_what, body) => told.isRefusedWith(body));

test('400 invalid_signature: forged, nothing is kept and nothing is looked at', () => told.isRefusedWhenForged());

test('400 invalid_signature: of an app that is no merchant’s', () => told.isRefusedOfAStrangersApp());

test.each([randomUUID(), `SANDBOX_${randomUUID()}`])(
  '200: the token of a purchase outside the App Store is accepted, so that Apple stops sending it: %s',
  (externalPurchaseId) =>
    told.isTaken('EXTERNAL_PURCHASE_TOKEN/UNREPORTED', ({ apps, stores }) => {
      const { bundleId, appAppleId } = apps.apple;
      const externalPurchaseToken = { externalPurchaseId, tokenCreationDate: Date.now(), bundleId, appAppleId };
      const about = { notificationType: 'EXTERNAL_PURCHASE_TOKEN', subtype: 'UNREPORTED', version: '2.0' };
      const signed = { ...about, notificationUUID: randomUUID(), signedDate: Date.now(), externalPurchaseToken };
      const body = JSON.stringify({ signedPayload: stores.apple.signAnything(signed) });
      return { path: '/external-payments/apple/notifications', headers: { 'Content-Type': 'application/json' }, body };
    }),
);

/** A changed letter, a signature by another key of the same chain, and data that claims to be of Xcode. */
function forgeries(sending: Sending): Sending[] {
  const { signedPayload } = JSON.parse(sending.body) as { signedPayload: string };
  const [header = '', payload = '', signature = ''] = signedPayload.split('.');
  const told = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { data: object };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const xcode = { ...told, data: { ...told.data, environment: 'Xcode' } };
  const texts = [
    [header, encode({ ...told, notificationType: 'REFUND' }), signature],
    [header, encode(xcode), signature],
    [encode({ alg: 'none' }), encode(xcode), ''],
    [header, payload, ''],
  ];
  return texts.map((parts) => ({ ...sending, body: JSON.stringify({ signedPayload: parts.join('.') }) }));
}
