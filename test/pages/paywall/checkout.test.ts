import { type Chromium, describeInBrowser, startChromium, untilTrue } from '../../support/chromium';
import { giveByHand } from '../../support/access';
import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  createShop,
  type Shop,
  subscribe,
} from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { heading, paywallOf, registerAt, typeCard } from '../../support/paywall';
import { card, pathOf, signedInAt } from '../../support/checkout';
import { startApp, type TestApp } from '../../support/startApp';
import { nameSeller } from '../../support/tax';
import { createVoucher, giveGift } from '../../support/vouchers';

/** The amount that the checkout shows is the amount that is charged. No worker runs here, so nothing is charged. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const weekend = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Weekend pass' };
const shown = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
const purchasesOf = async ({ merchant }: Shop) => {
  const { rows } = await app.pool.query<{ price_minor: number; charged_minor: number | null }>(
    `SELECT price_minor, NULL AS charged_minor FROM subscriptions WHERE merchant_id = $1
     UNION ALL SELECT price_minor, charged_minor FROM payments WHERE merchant_id = $1`,
    [merchant.id],
  );
  return rows;
};

describe('the price', () => {
  test('409: another fee than the one whose price was shown is shown before it is bought', async () => {
    const shop = await createShop(app);
    const other = await createFee(app, shop.merchant, shop.item.id, weekend);
    const walker = await signedInAt(app, shop);
    const { text } = await walker.open(pathOf(shop));
    expect([shown(text, 'shown_fee'), shown(text, 'shown_amount')]).toEqual([String(shop.fee.id), '9.99']);
    const told = { shown_fee: String(shop.fee.id), shown_amount: '9.99' };
    const refused = await walker.submit(`${pathOf(shop)}/pay`, { ...card, ...told, fee: String(other.id), do: 'pay' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Pay €4.50');
    expect(await purchasesOf(shop)).toEqual([]);
    const again = { shown_fee: String(other.id), shown_amount: '4.5' };
    const done = await walker.submit(`${pathOf(shop)}/pay`, { ...card, ...again, fee: String(other.id), do: 'pay' });
    expect(done.text).toContain('Processing your payment');
    expect(await purchasesOf(shop)).toMatchObject([{ charged_minor: 450 }]);
  });

  test('409: a price that has risen since is shown before it is paid', async () => {
    const shop = await createShop(app, weekend);
    const walker = await signedInAt(app, shop);
    const told = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '4.49' };
    const { status, text } = await walker.submit(`${pathOf(shop)}/pay`, { ...card, ...told });
    expect([status, shown(text, 'shown_amount')]).toEqual([409, '4.5']);
    expect(text).toContain('The price has changed.');
    expect(await purchasesOf(shop)).toEqual([]);
  });
});

test('200: a gift whose form is sent again a minute later, after a broken connection, is bought once', async () => {
  const shop = await createShop(app, weekend);
  await app.pool.query('UPDATE items SET is_giftable = true WHERE id = $1', [shop.item.id]);
  const walker = await signedInAt(app, shop);
  const { text } = await walker.open(`${pathOf(shop)}?gift=true`);
  const form = {
    ...card,
    fee: String(shop.fee.id),
    shown_fee: String(shop.fee.id),
    shown_amount: '4.5',
    do: 'pay',
    gift: 'true',
    receiver_email: 'ivan@example.org',
    _form: shown(text, '_form') ?? '',
  };
  expect(form._form).not.toBe('');
  await walker.submit(`${pathOf(shop)}/pay`, form);
  await app.pool.query(
    `UPDATE payments SET state = 'paid', paid_at = now(), updated_at = now() - interval '1 minute' WHERE merchant_id = $1`,
    [shop.merchant.id],
  );
  const again = await walker.submit(`${pathOf(shop)}/pay`, form);
  expect(again.text).toContain('Processing your payment');
  expect(await purchasesOf(shop)).toHaveLength(1);
});

describe('a balance', () => {
  test.each([
    [
      'a debt is charged with the purchase',
      -200,
      '6.5',
      'This includes €2.00 that you owe from an earlier payment.',
      650,
    ],
    ['a credit pays a part of it', 200, '2.5', 'Your credit of €2.00 is used for this payment.', 250],
    ['a credit pays all of it', 450, '0', 'Your credit of €4.50 is used for this payment.', 0],
  ])('200: %s, and the page says so before the payment', async (_what, balanceMinor, amount, text, chargedMinor) => {
    const shop = await createShop(app, weekend);
    await giveCredit(app, shop.consumer.id, balanceMinor);
    const walker = await signedInAt(app, shop);
    const page = await walker.open(pathOf(shop));
    expect(shown(page.text, 'shown_amount')).toBe(amount);
    expect(page.text).toContain(text);
    const sent = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: amount, do: 'pay' };
    const done = await walker.submit(`${pathOf(shop)}/pay`, chargedMinor === 0 ? sent : { ...card, ...sent });
    expect(done.text).toContain('Processing your payment');
    expect(await purchasesOf(shop)).toHaveLength(1);
  });

  test('200: without a balance the page does not mention one', async () => {
    const shop = await createShop(app, weekend);
    const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
    expect(text).not.toMatch(/you owe|Your credit/);
  });
});

const dayIn = (days: number, timeZone = 'UTC') =>
  new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone }).format(Date.now() + days * 86_400_000);

describe('the first renewal', () => {
  test('200: its day is beside the price, by the clock of the visitor', async () => {
    const shop = await createShop(app, { quantity: 2, period: 'week' });
    const walker = await signedInAt(app, shop);
    const renews = 'Renews automatically: €9.99 every 2 weeks. The first renewal is on';
    expect((await walker.open(pathOf(shop))).text).toContain(`${renews} ${dayIn(14)} (UTC).`);
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      walker.keep('time_zone', zone);
      expect((await walker.open(pathOf(shop))).text).toContain(`${renews} ${dayIn(14, zone)}.`);
    }
  });

  test('200: its day is of the zone of the merchant, and names it, while that of the visitor is not known', async () => {
    const shop = await createShop(app, { quantity: 2, period: 'week' });
    const walker = await signedInAt(app, shop);
    const renews = async () => / first renewal is on ([^.]+)\./.exec((await walker.open(pathOf(shop))).text)?.[1];
    for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await nameSeller(app, shop, [], { time_zone });
      expect(await renews()).toBe(`${dayIn(14, time_zone)} (${time_zone.replace('_', ' ')})`);
    }
    walker.keep('time_zone', 'Europe/Berlin');
    expect(await renews()).toBe(dayIn(14, 'Europe/Berlin'));
  });

  test('200: its time is shown if the period is a few hours', async () => {
    const shop = await createShop(app, { quantity: 5, period: 'hour' });
    const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
    expect(text).toMatch(/The first renewal is on [A-Z][a-z]+ \d+, \d{4}, \d+:\d\d\s[AP]M \(UTC\)\./);
  });
});

describe('a free trial', () => {
  const trial = { trial_period_quantity: '7', trial_period_period: 'day' };

  test('200: is told as nothing to pay now to who has not had it', async () => {
    const shop = await createShop(app, trial);
    const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
    expect(text).toContain('7 days free');
    expect(text).toContain('Start free trial');
    const day = `${dayIn(7)} (UTC)`;
    expect(text).toContain(`Free until ${day}. The first payment is due on that day. Renews automatically: €9.99`);
    expect(text).not.toContain('Pay €');
    expect(shown(text, 'shown_amount')).toBe('0');
  });

  test('200: who has had it is told so, and sees the full price', async () => {
    const shop = await createShop(app, trial);
    await spendTrial(shop);
    const { text } = await (await signedInAt(app, shop)).open(pathOf(shop));
    expect(text).toContain('You have already used the free trial.');
    expect(text).not.toContain('7 days free');
    expect(text).toContain('Pay €9.99');
  });

  test('409: a card that has had it is not charged before the full price is shown', async () => {
    const shop = await createShop(app, trial);
    const walker = await signedInAt(app, shop);
    const friend = await createConsumer(app, shop.merchant);
    expect((await subscribe(app, { ...shop, consumer: friend })).status).toBe(202);
    const told = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '0' };
    const refused = await walker.submit(`${pathOf(shop)}/pay`, { ...card, ...told });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('You have already used the free trial.');
    expect([shown(refused.text, 'shown_amount'), shown(refused.text, 'trial_gone')]).toEqual(['9.99', 'true']);
    expect(await purchasesOf(shop)).toHaveLength(1);
    const full = { ...told, shown_amount: '9.99', trial_gone: 'true' };
    expect((await walker.submit(`${pathOf(shop)}/pay`, { ...card, ...full })).status).toBe(200);
    expect(await purchasesOf(shop)).toHaveLength(2);
  });

  test('200: begins without a card where the fee says what becomes of it', async () => {
    const shop = await createShop(app, { ...trial, trial_end_behaviour: 'cancel' });
    const walker = await signedInAt(app, shop);
    const { text } = await walker.open(pathOf(shop));
    expect(text).toContain('No card required.');
    expect(text).toContain('Without a card, it ends after the free trial.');
    expect(text).toContain(`Free until ${dayIn(7)} (UTC).`);
    expect(text).not.toContain('Renews automatically');
    const told = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '0' };
    const empty = { number: '', card_name: '', exp_month: '', exp_year: '', cvv: '' };
    const done = await walker.submit(`${pathOf(shop)}/pay`, { ...empty, ...told, voucher_code: '' });
    expect(done.text).toContain('Processing your payment');
  });

  async function spendTrial({ merchant, consumer, item }: Shop): Promise<void> {
    const { recordTrial } = await import('../../../src/entitlements/trials.js');
    const { transaction } = await import('../../../src/adapters/postgres/connection.js');
    const about = { merchantId: merchant.id, accountId: consumer.id, itemId: item.id };
    const trialOf = { ...about, subject: 'S-earlier-SB' };
    expect(await transaction((inTransaction) => recordTrial(inTransaction, trialOf))).toBe(true);
  }
});

test('200: who redeems a gift pays no setup fee, and is asked for no card', async () => {
  const shop = await createShop(app, { ...weekend, setup_fee_amount: '2' });
  const { code } = await giveGift(shop, shop.consumer.email);
  const walker = await signedInAt(app, shop);
  const priced = await walker.submit(`${pathOf(shop)}/price`, { voucher_code: code, do: 'voucher' });
  expect(shown(priced.text, 'shown_amount')).toBe('0');
  expect(priced.text).toContain('Get free access');
  expect(priced.text).not.toContain('cc-number');
});

test('200: what is free for the registered is said to be free, and taken without a payment', async () => {
  const freemium = { access_type: 'freemium', amount: '0', description: 'For readers' };
  const shop = await createShop(app, freemium);
  const walker = await signedInAt(app, shop);
  const { text } = await walker.open(pathOf(shop));
  expect(text).toContain('<span class="amount-line">Free</span>');
  expect(text).not.toContain('cc-number');
  const told = { fee: String(shop.fee.id), shown_fee: String(shop.fee.id), shown_amount: '0', do: 'pay' };
  const done = await walker.submit(`${pathOf(shop)}/pay`, told);
  expect(done.text).toContain('Thank you. You now have access.');
  expect((await walker.openFrame(`${pathOf(shop)}/content`)).text).toContain('<p>The final.</p>');
});

test('200: a step is told once: the same one, looked at again, takes nobody’s place', async () => {
  const shop = await createShop(app, weekend);
  const walker = await signedInAt(app, shop);
  const first = await walker.submit(`${pathOf(shop)}/pay`, { ...card, fee: String(shop.fee.id) });
  expect(first.text).toContain('paywall.submitted');
  const next = /hx-get="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const again = await walker.open(next);
  expect(again.text).toContain('Processing your payment');
  expect(again.text).not.toContain('paywall.submitted');
  expect(again.headers.get('hx-reswap')).toBe('none');
});

test('200: what is not on sale is told to who is signed in, too, by a name that does not change', async () => {
  const shop = await createShop(app);
  const walker = await signedInAt(app, shop);
  await call(app, 'DELETE', `/items/${shop.item.id}`, undefined, shop.merchant);
  const stranger = await new PageWalker(app).open(pathOf(shop));
  expect(stranger.text).toContain('step=sign-in');
  for (const { text } of [stranger, await walker.open(pathOf(shop))]) {
    expect(text).toContain('&quot;paywall.unavailable&quot;');
    expect(text).toContain('&quot;not_on_sale&quot;');
  }
});

test('200: the address of a feed is a link', async () => {
  const shop = await createShop(app);
  const feed = { item_type: 'rss_asset', content: 'https://feeds.example/cup.xml', title: 'The cup' };
  const item = await createItem(app, shop.merchant, feed);
  await giveByHand(app, { ...shop, item });
  const { text } = await (await signedInAt(app, shop)).openFrame(`${pathOf({ ...shop, item })}/content`);
  expect(text).toContain('<a href="https://feeds.example/cup.xml"');
});

describeInBrowser('the checkout in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  async function visit(shop: Shop) {
    const visitor = await chromium.newVisitor();
    await visitor.page.goto(paywallOf(app, shop));
    await registerAt(visitor.page);
    await heading(visitor.page, 'Checkout').waitFor();
    return visitor;
  }

  test('another fee changes what is to be paid, and keeps the reader where it is', async () => {
    const shop = await createShop(app);
    await createFee(app, shop.merchant, shop.item.id, weekend);
    const { page, context } = await visit(shop);
    await page.getByRole('button', { name: 'Pay €9.99' }).waitFor();
    await page.getByRole('radio', { name: /Weekend pass/ }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pay €4.50' }).waitFor();
    await page.locator('.total-amount', { hasText: '€4.50' }).waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe(
      await page.getByRole('radio', { name: /Weekend pass/ }).getAttribute('value'),
    );
    expect(await page.getByText('Renews automatically').count()).toBe(0);
    await context.close();
  });

  test('the enter key pays from a card’s field, and applies the voucher from its own', async () => {
    const shop = await createShop(app, weekend);
    await createVoucher(app, shop.merchant, { code: 'FANS20', discount: 20 });
    const { page, context } = await visit(shop);
    await page.locator('#field-voucher_code').fill('fans20');
    await page.locator('#field-voucher_code').press('Enter');
    await page.getByRole('button', { name: 'Pay €3.60' }).waitFor();
    await typeCard(page, cards.success);
    await page.locator('#field-cvv').press('Enter');
    await heading(page, 'Processing your payment').waitFor();
    expect(await purchasesOf(shop)).toMatchObject([{ charged_minor: 360 }]);
    // The heading takes the focus a moment after it is visible.
    await untilTrue(page, `document.activeElement.textContent.trim() === 'Processing your payment'`);
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await signOut.focus();
    await page.waitForResponse((response) => response.url().includes('/purchase?'));
    await page.waitForRequest((request) => request.url().includes('/purchase?'));
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Sign out');
    await context.close();
  });

  test('a lost connection is said, until it is back', async () => {
    const shop = await createShop(app);
    const { page, context } = await chromium.newVisitor();
    await page.goto(paywallOf(app, shop));
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Get access' }).click();
    const lost = page.getByText('You are offline.');
    await lost.waitFor();
    await context.setOffline(false);
    await page.getByRole('link', { name: 'Get access' }).click();
    await heading(page, 'Create your account').waitFor();
    expect(await lost.count()).toBe(0);
    await context.close();
  });
});
