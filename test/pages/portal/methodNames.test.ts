import { declineReasons } from '../../../src/adapters/cardProviders/provider';
import { languages } from '../../../src/kit/languages';
import { failureText } from '../../../src/pages/customer/failures';
import { type TextKey, textsFor } from '../../../src/pages/layout/texts';
import { call } from '../../support/client';
import { accounts, createMandate } from '../../support/debits';
import { createShop, password, reaches, type Shop, type Submitted } from '../../support/factories';
import { owedByDebit } from '../../support/owedRenewal';
import { PageWalker } from '../../support/pageWalker';
import { proveMailbox } from '../../support/portalCards';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** The portal names what pays, also if it is not a card. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});

afterAll(() => app.stop());

async function signedIn({ merchant, consumer }: Pick<Shop, 'merchant' | 'consumer'>): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`/portal/${merchant.uuid}/sign-in`);
  await walker.submit(`/portal/${merchant.uuid}/sign-in`, { username: consumer.email, password });
  return walker;
}

test('303: a change to a saved Link is confirmed by its name, and so is the change back', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, fee } = shop;
  const methods = ['card', 'link', 'direct_debit'];
  await call(app, 'PUT', '/accounts/settings', { payment_methods: methods }, merchant);
  const bought = { access_fee: fee.id, payment_token: 'tok_link' };
  const { subscription_id: id } = (await call<Submitted>(app, 'POST', '/subscriptions', bought, consumer)).body;
  await reaches(app, consumer, id, 'active');
  await createMandate(app, shop, accounts.paid);
  const walker = await signedIn(shop);
  await proveMailbox(app, consumer.id);
  const method = `/portal/${merchant.uuid}/subscriptions/${id}/payment-method`;
  for (const [card, name] of [
    ['debit', 'Direct debit ending in 3000'],
    ['saved', 'Link'],
  ] as const) {
    await walker.open(method);
    const { status, headers } = await walker.submit(method, { card });
    expect(status).toBe(303);
    const next = headers.get('location') ?? '';
    const text = await until(async () => {
      const shown = (await walker.open(next)).text;
      return shown.includes('Your payment method has changed.') && shown;
    });
    expect(text).toMatch(new RegExp(`<dd[^>]*>\\s*${name}\\s*</dd>`));
  }
});

test('200: a failed debit is explained without a card', async () => {
  const { shop, id } = await owedByDebit(app, accounts.failedAtRenewal);
  const { text } = await (await signedIn(shop)).open(`/portal/${shop.merchant.uuid}/subscriptions/${id}`);
  expect(text).toContain('There was not enough money in the account.');
  expect(text).not.toContain('Your card has');
});

const ofCard = ['declined', 'expired_card', 'insufficient_funds', 'lost_card', 'payment_token_spent'];

test.each(languages)('no reason of a failure names a card that did not pay, in %s', (language) => {
  const texts = textsFor({ languages: [language] });
  const cardTexts = ofCard.map((reason) => texts.t(`portal.failures.${reason}` as TextKey));
  const shown = (method: string) => declineReasons.map((reason) => failureText(texts, reason, method));
  expect(shown('card')).toEqual(expect.arrayContaining(cardTexts));
  for (const method of ['paypal', 'Direct Debit', 'ideal', 'bancontact'])
    expect(shown(method).filter((text) => cardTexts.includes(text))).toEqual([]);
});

test.each(languages)('what PayPal answered is said of PayPal and not of a bank, in %s', (language) => {
  const texts = textsFor({ languages: [language] });
  for (const reason of ['authentication_required', 'authentication_failed', 'try_again_later'] as const) {
    expect(failureText(texts, reason, 'PayPal')).toContain('PayPal');
    for (const method of ['card', 'Direct Debit', 'ideal', 'bancontact'])
      expect(failureText(texts, reason, method)).toBe(texts.t(`portal.failures.${reason}`));
  }
});

test('a decline of PayPal names neither a bank nor a card', () => {
  const texts = textsFor({ languages: ['en'] });
  for (const reason of ['declined', 'expired_card', 'lost_card', 'payment_token_spent', 'an unknown reason'])
    expect(failureText(texts, reason, 'PayPal')).toBe('The payment was declined.');
  expect(failureText(texts, 'an unknown reason')).toBe('The payment failed. Try again or use another card.');
});
