import { giveByHand } from '../../support/access';
import { call } from '../../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createMerchant,
  createShop,
  password,
  type Person,
  reaches,
  type Shop,
  subscribe,
} from '../../support/factories';
import { changeCardOutcome } from '../../support/scenarios';
import { PageWalker } from '../../support/pageWalker';
import { proveMailbox } from '../../support/portalCards';
import { type TestApp, startApp } from '../../support/startApp';
import { failToRenew } from '../../support/testClock';
import { until } from '../../support/until';
import { giveGift } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const portalOf = ({ merchant }: Pick<Shop, 'merchant'>) => `/portal/${merchant.uuid}`;

async function signedIn(shop: Pick<Shop, 'merchant'>, person: Person): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`${portalOf(shop)}/sign-in`);
  const sent = await walker.submit(`${portalOf(shop)}/sign-in`, { username: person.email, password });
  expect(sent.status).toBe(303);
  return walker;
}

/** A customer with a running subscription, at its page. */
async function subscribed(fee: Record<string, unknown> = {}, card: string = cards.success) {
  const shop = await createShop(app, fee);
  const { subscription_id: id } = (await subscribe(app, shop, card)).body;
  await reaches(app, shop.consumer, id, 'active');
  const path = `${portalOf(shop)}/subscriptions/${id}`;
  const walker = await signedIn(shop, shop.consumer);
  await proveMailbox(app, shop.consumer.id);
  return { shop, id, path, walker };
}

/** Waits for the change: on a busy machine it happens after the page has stopped waiting. */
async function changes(
  walker: PageWalker,
  [path, what]: [string, string],
  fields: Record<string, string>,
  told: string,
) {
  const reply = await walker.submit(`${path}/${what}`, fields);
  const next = placeOf(reply) ?? '';
  expect([reply.status, next]).toEqual([303, expect.stringContaining(`${path}?done=`)]);
  return until(async () => {
    const page = await walker.open(next);
    return page.text.includes(told) && page.text;
  });
}

const placeOf = ({ headers }: { headers: Headers }) => headers.get('location');
const typed = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '2040', cvv: '123' };

describe('while nobody is at work', () => {
  /** The row exists, and its run does not answer. */
  async function unanswered() {
    const shop = await createShop(app);
    const { subscription_id: id } = (await subscribe(app, shop)).body;
    const state = `UPDATE subscriptions SET state = 'active', current_period_end = now() + interval '9 days' WHERE token = $1`;
    await app.pool.query(state, [id]);
    const path = `${portalOf(shop)}/subscriptions/${id}`;
    const walker = await signedIn(shop, shop.consumer);
    await walker.open(path);
    return { path, walker };
  }

  test('303: the page says that the change is in progress, and looks again', async () => {
    const { path, walker } = await unanswered();
    const next = placeOf(await walker.submit(`${path}/pause`));
    expect(next).toBe(`${path}?done=paused&pending=true`);
    const { text } = await walker.open(next ?? '');
    expect(text).toContain('Your change is processing.');
    expect(text).toContain(`hx-get="${path}?done=paused&amp;pending=true"`);
  });

  test('a cancellation is confirmed as received, and not as done', async () => {
    const { path, walker } = await unanswered();
    expect(placeOf(await walker.submit(`${path}/cancel`))).toBe(`${path}?done=cancelled`);
    const { text } = await walker.open(`${path}?done=cancelled`);
    expect(text).not.toContain('Your subscription is canceled.');
    expect(text).toContain('We have received your cancellation');
    expect(text).toContain('data-listen');
  });
});

describe('the way in', () => {
  test('303: who is not signed in signs in first, and comes where it wanted to be', async () => {
    const shop = await createShop(app);
    const walker = new PageWalker(app);
    const asked = await walker.open(`${portalOf(shop)}/card`);
    const next = `${portalOf(shop)}/card`;
    const query = new URLSearchParams({ next }).toString();
    expect([asked.status, placeOf(asked)]).toEqual([303, `${portalOf(shop)}/sign-in?${query}`]);
    expect((await walker.open(placeOf(asked) ?? '')).text).toContain(`name="next" value="${next}"`);
    const credentials = { username: shop.consumer.email, password };
    const wrong = await walker.submit(`${portalOf(shop)}/sign-in`, { ...credentials, password: 'wrong', next });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('The email or password is incorrect.');
    expect(wrong.text).toContain(`name="next" value="${next}"`);
    expect(placeOf(await walker.submit(`${portalOf(shop)}/sign-in`, { ...credentials, next }))).toBe(next);
    expect((await walker.open(next)).status).toBe(200);
  });

  test.each(['https://evil.example', '//evil.example', '/console', '/portal/00000000-0000-4000-8000-000000000000'])(
    '303: never to %s',
    async (next) => {
      const shop = await createShop(app);
      const walker = new PageWalker(app);
      await walker.open(`${portalOf(shop)}/sign-in`);
      const fields = { username: shop.consumer.email, password, next };
      expect(placeOf(await walker.submit(`${portalOf(shop)}/sign-in`, fields))).toBe(portalOf(shop));
    },
  );

  test('303: a session of one merchant is none at another, and a signed-out one is none anywhere', async () => {
    const [shop, other] = [await createShop(app), await createShop(app)];
    const walker = await signedIn(shop, shop.consumer);
    expect((await walker.open(portalOf(shop))).status).toBe(200);
    expect((await walker.open(portalOf(other))).status).toBe(303);
    expect((await walker.submit(`${portalOf(shop)}/sign-out`)).status).toBe(303);
    expect(placeOf(await walker.open(portalOf(shop)))).toContain('/sign-in');
  });

  test('404: no form takes a token', async () => {
    const shop = await createShop(app);
    const walker = new PageWalker(app);
    await walker.open(`${portalOf(shop)}/sign-in`);
    expect((await walker.submit(`${portalOf(shop)}/session`, { token: shop.consumer.token })).status).toBe(404);
    expect(walker.cookies).not.toContain('customer_');
  });

  test('200: a forgotten password answers alike for everybody', async () => {
    const shop = await createShop(app);
    const walker = new PageWalker(app);
    await walker.open(`${portalOf(shop)}/forgotten`);
    for (const email of [shop.consumer.email, 'nobody@example.org']) {
      const { status, text } = await walker.submit(`${portalOf(shop)}/forgotten`, { email });
      expect([status, text.includes('we have sent it a link')]).toEqual([200, true]);
    }
    expect((await walker.submit(`${portalOf(shop)}/forgotten`, { email: 'x' })).status).toBe(422);
  });

  test('404: of no merchant', async () => {
    const nobody = '/portal/00000000-0000-4000-8000-000000000000/sign-in';
    expect((await new PageWalker(app).open(nobody)).status).toBe(404);
    expect((await new PageWalker(app).open('/portal/nobody')).status).toBe(404);
  });
});

describe('registering', () => {
  test('303: with what the merchant asks for, and comes where it wanted to be', async () => {
    const shop = await createShop(app);
    const field = { name: 'team', label: 'Your team', type: 'select', required: 'true', options: { red: 'Red' } };
    await call(app, 'POST', '/accounts/register-field', field, shop.merchant);
    const walker = new PageWalker(app);
    const next = `${portalOf(shop)}/card`;
    const query = new URLSearchParams({ next }).toString();
    const signIn = await walker.open(`${portalOf(shop)}/sign-in?${query}`);
    expect(signIn.text).toContain(`href="${portalOf(shop)}/register?${query}"`);
    expect((await walker.open(`${portalOf(shop)}/register?${query}`)).text).toContain('Your team');
    const fields = { full_name: 'Bea', username: `bea-${shop.item.id}@example.org`, password, next };
    const path = `${portalOf(shop)}/register`;
    const refused = await walker.submit(path, { ...fields, 'metadata[team]': 'green' });
    expect(refused.status).toBe(422);
    for (const kept of ['aria-invalid="true"', 'value="Bea"', `name="next" value="${next}"`])
      expect(refused.text).toContain(kept);
    expect(refused.text).not.toContain(password);
    expect(placeOf(await walker.submit(path, { ...fields, 'metadata[team]': 'red' }))).toBe(next);
    expect((await walker.open(`${portalOf(shop)}/profile`)).text).toContain('<bdi>bea-');
    expect(placeOf(await walker.open(path))).toBe(portalOf(shop));
    const twice = new PageWalker(app);
    await twice.open(path);
    const known = await twice.submit(path, { ...fields, 'metadata[team]': 'red' });
    expect(known.text).toContain('An account with this email already exists.');
  });

  test('422: asks for the date of birth where ages are verified, and never goes elsewhere', async () => {
    const shop = await createShop(app);
    const settings = { age_verification_enabled: 'true', age_verification_type: 'basic' };
    const merchant_uuid = shop.merchant.uuid;
    await call(app, 'PATCH', '/restrictions/settings', { ...settings, merchant_uuid }, shop.merchant);
    const walker = new PageWalker(app);
    const path = `${portalOf(shop)}/register`;
    expect((await walker.open(path)).text).toContain('name="date_of_birth"');
    const next = '//evil.example';
    const fields = { full_name: 'Bea', username: `bea-${shop.item.id}@example.org`, password, next };
    expect((await walker.submit(path, fields)).status).toBe(422);
    expect(placeOf(await walker.submit(path, { ...fields, date_of_birth: '1990-05-01' }))).toBe(portalOf(shop));
  });
});

describe('a subscription', () => {
  beforeAll(() => app.startWorker());

  test('is cancelled, and the cancellation taken back, each with a confirmation', async () => {
    const { shop, path, walker } = await subscribed();
    const list = await walker.open(portalOf(shop));
    expect(list.text).toContain('Cup final');
    expect(list.text).toContain('Renews on');
    const after = await changes(walker, [path, 'cancel'], { reason: 'Too dear' }, 'Your subscription is canceled.');
    expect(after).toContain('will not be charged again');
    expect(after).not.toContain(`${path}/cancel"`);
    expect(await changes(walker, [path, 'resume'], {}, 'Your subscription continues.')).toContain('Renews on');
  });

  test('is paused until a day, which has to be after the paid time', async () => {
    const { path, walker } = await subscribed();
    await walker.open(path);
    const refused = await walker.submit(`${path}/pause`, { resumes_at: '2020-01-01' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('aria-invalid="true"');
    // Existing clients can read times until 19 January 2038.
    expect((await walker.submit(`${path}/pause`, { resumes_at: '2038-01-20' })).status).toBe(422);
    const text = await changes(walker, [path, 'pause'], { resumes_at: '2038-01-19' }, 'Your subscription will pause.');
    expect(text).toContain('and resumes automatically on January 19, 2038 (UTC).');
    await changes(walker, [path, 'resume'], {}, 'Your subscription continues.');
  });

  test('422: what its state does not allow is said on its page, and a confirmation that is not true is not', async () => {
    const { path, walker } = await subscribed();
    await walker.open(path);
    const refused = await walker.submit(`${path}/resume`);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('You cannot do this in the current status of the subscription.');
    const { text } = await walker.open(`${path}?done=paused`);
    expect(text).not.toContain('Your subscription will pause.');
  });

  test('changes its plan, after what it costs was shown; the preview changes nothing', async () => {
    const { shop, id, path, walker } = await subscribed();
    const dearer = await createFee(app, shop.merchant, shop.item.id, { amount: '19.99', description: 'Family' });
    const yen = { amount: '100', currency: 'JPY', description: 'Elsewhere' };
    await createFee(app, shop.merchant, shop.item.id, yen);
    const choice = await walker.open(`${path}/switch`);
    expect(choice.text).toContain('Family');
    expect(choice.text).not.toContain('Elsewhere');
    const preview = await walker.open(`${path}/switch?fee=${dearer.id}`);
    expect(preview.text).toContain('Unused time on Monthly pass');
    expect(preview.text).toContain('New plan: Family');
    expect(preview.text).toMatch(/Change plan and pay €(?:10\.00|9\.99)/);
    expect(await reaches(app, shop.consumer, id, 'active')).toMatchObject({ access_fee_id: shop.fee.id });
    const chosen = { access_fee_id: String(dearer.id), mode: 'now' };
    await changes(walker, [path, 'switch'], chosen, 'Your plan has changed.');
    expect(await reaches(app, shop.consumer, id, 'active')).toMatchObject({ access_fee_id: dearer.id });
    const cheaper = await walker.open(`${path}/switch?fee=${shop.fee.id}`);
    expect(cheaper.text).toContain('Your current plan continues until then.');
    expect((await walker.submit(`${path}/switch`, { access_fee_id: 'x' })).status).toBe(422);
  });

  test('that could not be renewed says why, and is paid', async () => {
    const { shop, id, path, walker } = await subscribed({}, cards.declinedOnceAtRenewal);
    await failToRenew(app, shop, id);
    const { text } = await walker.open(path);
    expect(text).toContain('Your card has insufficient funds.');
    expect(text).toContain('You keep access until');
    await changes(walker, [path, 'retry'], {}, 'Your overdue payment is complete.');
  });

  test('whose bank asks leads to the bank, and goes on when that has answered', async () => {
    const { shop, id, path, walker } = await subscribed({}, cards.declinedAtRenewal);
    await failToRenew(app, shop, id);
    await changeCardOutcome(app, { id }, 'needs_authentication');
    await walker.open(path);
    expect((await walker.submit(`${path}/retry`)).status).not.toBe(303);
    const asked = await until(async () => {
      const page = await walker.open(path);
      return page.text.includes('Your bank asks you to confirm the payment.') && page.text;
    });
    expect(asked).toContain(`data-listen="${shop.merchant.uuid}"`);
    const [bank = ''] = /\/sandbox\/authenticate\/[\w-]+/.exec(asked) ?? [];
    expect((await call(app, 'POST', bank, { answer: 'approved' })).status).toBe(200);
    await reaches(app, shop.consumer, id, 'active');
    expect((await walker.open(path)).text).not.toContain('Continue to my bank');
  });

  test('404 subscription_not_found: another customer’s, and another merchant’s', async () => {
    const { shop, id, path } = await subscribed();
    const neighbour = await createConsumer(app, shop.merchant);
    const walker = await signedIn(shop, neighbour);
    await walker.open(portalOf(shop));
    expect((await walker.open(path)).status).toBe(404);
    expect((await walker.submit(`${path}/cancel`)).status).toBe(404);
    expect((await walker.open(`${path}/switch`)).status).toBe(404);
    const merchant = await createMerchant(app);
    const stranger = await signedIn({ merchant }, await createConsumer(app, merchant));
    expect((await stranger.open(`${portalOf({ merchant })}/subscriptions/${id}`)).status).toBe(404);
  });

  test('403 page_expired: what changes something comes from a page of ours', async () => {
    const { path, walker } = await subscribed();
    const response = await fetch(`${app.address}${path}/cancel`, {
      method: 'POST',
      headers: { Cookie: walker.cookies, Origin: 'https://evil.example' },
    });
    expect(response.status).toBe(403);
  });
});

describe('what was bought and paid', () => {
  test('200: a receipt is a document, another’s is nobody’s', async () => {
    const { shop, walker } = await subscribed();
    const { text } = await walker.open(`${portalOf(shop)}/receipts`);
    const [path = ''] = /\/portal\/[\w-]+\/receipts\/[\w-]+/.exec(text) ?? [];
    const document = await walker.open(path);
    expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(document.headers.get('content-disposition')).toMatch(/^attachment; filename="receipt-[\w-]+\.pdf"$/);
    expect(document.text.startsWith('%PDF-')).toBe(true);
    const neighbour = await signedIn(shop, await createConsumer(app, shop.merchant));
    expect((await neighbour.open(path)).status).toBe(404);
  });

  test('200: the banner of each page names the signed-in account', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop, shop.consumer);
    for (const path of ['', '/purchases', '/security', '/card', '/profile', '/data']) {
      const { text } = await walker.open(`${portalOf(shop)}${path}`);
      const [, banner = ''] = /<header class="banner[^"]*">(.*?)<\/header>/s.exec(text) ?? [];
      expect([path, banner.replaceAll(/<wbr[^>]*>/g, '')]).toEqual([
        path,
        expect.stringContaining(shop.consumer.email),
      ]);
    }
  });

  test('200: purchases lead to what they open, and gifts to their receivers', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop, shop.consumer);
    expect((await walker.open(`${portalOf(shop)}/purchases`)).text).toContain('You have no active purchases.');
    await giveByHand(app, shop);
    const { text } = await walker.open(`${portalOf(shop)}/purchases`);
    expect(text).toContain(`/paywall/${shop.merchant.uuid}/${shop.item.id}`);
    expect(text).toContain('Granted');
    const { code } = await giveGift(shop, 'Bea@example.org');
    const gifts = await walker.open(`${portalOf(shop)}/gifts`);
    expect(gifts.text).toContain('Bea@example.org');
    // In an Arabic line, a description in Latin letters would otherwise take the day that follows with it.
    expect(gifts.text).toMatch(/<bdi>[^<]+<\/bdi> · <bdi>For Bea/);
    expect(gifts.text).not.toContain(code);
  });

  test('the card is sent once, and never comes back; a card number elsewhere goes nowhere', async () => {
    const { shop, walker } = await subscribed();
    const path = `${portalOf(shop)}/card`;
    expect((await walker.open(path)).text).toContain('Visa ending in 4242');
    const refused = await walker.submit(path, { ...typed, cvv: '1', currency_iso: 'EUR' });
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([422, 'no-store']);
    expect(refused.text).not.toContain(cards.success);
    expect((await walker.submit(path, { card_name: cards.success })).status).toBe(400);
    const another = { ...typed, number: cards.declinedAtRenewal, currency_iso: 'EUR' };
    expect(placeOf(await walker.submit(path, another))).toBe(`${path}?done=saved`);
    const { text } = await walker.open(`${path}?done=saved`);
    expect(text).toContain('Your new card is saved.');
    expect(text).toContain('Visa ending in 0614');
  });
});

describe('the account', () => {
  test('its details are what the merchant asks for, and what is not asked for stays', async () => {
    const shop = await createShop(app);
    const field = { name: 'team', label: 'Your team', type: 'select', required: 'true', options: { red: 'Red' } };
    await call(app, 'POST', '/accounts/register-field', field, shop.merchant);
    await app.pool.query(`UPDATE accounts SET metadata = '{"shirt": "L"}' WHERE id = $1`, [shop.consumer.id]);
    const walker = await signedIn(shop, shop.consumer);
    const path = `${portalOf(shop)}/profile`;
    expect((await walker.open(path)).text).toContain('Your team');
    const refused = await walker.submit(path, { full_name: 'Bea', 'metadata[team]': 'green' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="Bea"');
    expect(refused.text).toContain('aria-invalid="true"');
    expect(placeOf(await walker.submit(path, { full_name: 'Bea', 'metadata[team]': 'red' }))).toContain('profileSaved');
    const { body } = await call(app, 'GET', '/accounts', undefined, shop.consumer);
    expect(body).toMatchObject({ full_name: 'Bea', metadata: { shirt: 'L', team: 'red' } });
  });

  test('its password changes, with the present one', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop, shop.consumer);
    const path = `${portalOf(shop)}/profile`;
    await walker.open(path);
    const better = 'another-long-secret';
    const wrong = await walker.submit(`${path}/password`, { old_password: 'wrong', password: better });
    expect([wrong.status, wrong.text.includes('The current password is incorrect.')]).toEqual([422, true]);
    expect(wrong.text).not.toContain(better);
    const right = await walker.submit(`${path}/password`, { old_password: password, password: better });
    expect(placeOf(right)).toBe(`${path}?done=passwordChanged`);
    expect((await walker.open(`${path}?done=passwordChanged`)).text).toContain('All other devices are signed out');
    expect((await call(app, 'GET', '/accounts', undefined, shop.consumer)).status).toBe(401);
  });

  test('its data is mailed, and the page tells when', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop, shop.consumer);
    const path = `${portalOf(shop)}/data`;
    await walker.open(path);
    const wrong = await walker.submit(`${path}/export`, { password: 'wrong' });
    expect([wrong.status, wrong.text.includes('The password is incorrect.')]).toEqual([422, true]);
    const asked = await walker.submit(`${path}/export`, { password });
    expect(placeOf(asked)).toMatch(/\/data\?after=\d+$/);
    await until(async () => (await walker.open(placeOf(asked) ?? '')).text.includes('We have emailed your data to'));
  });

  test('is erased with its password, and signed out', async () => {
    const shop = await createShop(app);
    const walker = await signedIn(shop, shop.consumer);
    const path = `${portalOf(shop)}/data/erase`;
    await walker.open(path);
    expect((await walker.submit(path, { password: 'wrong' })).status).toBe(422);
    const erased = await walker.submit(path, { password });
    expect(placeOf(erased)).toBe(`${portalOf(shop)}/sign-in?done=erased`);
    expect(walker.cookies).not.toContain('customer_');
    expect((await walker.open(placeOf(erased) ?? '')).text).toContain('We are deleting your account');
    expect((await call(app, 'GET', '/accounts', undefined, shop.consumer)).status).toBe(401);
  });
});
