import { giveCredit } from './balances';
import { call } from './client';
import { cards, createShop, password, purchase, reaches, type Shop, type Submitted } from './factories';
import { type MailServer } from './mailServer';
import { type TestApp } from './startApp';
import { until } from './until';

/** Written through the API where possible, so that the canaries pass through requests, answers, events, workflows and logs. */
export async function liveWithCanaries(
  app: Pick<TestApp, 'address' | 'pool'>,
  mailServer: MailServer,
  canary: string,
): Promise<{ shop: Shop; id: string }> {
  const shop = await createShop(app);
  const { merchant, item } = shop;
  const email = `${canary}@example.org`;
  const registered = await call<{ access_token: string; refresh_token: string; account: { id: number; uuid: string } }>(
    app,
    'POST',
    '/accounts',
    {
      ...{ full_name: `Ana ${canary}`, username: email, password, password_confirmation: password, type: 'consumer' },
      ...{ client_id: merchant.uuid, referrer: `https://a.example/${canary}`, date_of_birth: '1999-03-05' },
      metadata: { surname: canary, consents: `["${canary}"]` },
    },
  );
  const { access_token: token, refresh_token: refreshToken, account } = registered.body;
  const consumer = { ...shop.consumer, ...account, email, token, refreshToken };
  const lived = { ...shop, consumer };
  const as = { token, headers: { 'Idempotency-Key': canary, 'User-Agent': canary } };
  await call(app, 'POST', '/v2/accounts/media/favorites', { media_id: canary }, as);
  await call(app, 'PATCH', '/v2/accounts/media/watch-history', { media_id: canary, progress: 0.5 }, { token });
  const profile = {
    name: canary.slice(0, 30),
    adult: false,
    avatar_url: `https://a.example/${canary}.png`,
    pin: '1234',
  };
  await call(app, 'POST', '/v2/accounts/profiles', profile, { token });
  await call(app, 'POST', '/v2/accounts/external/livelike', { item_id: item.id, nickname: canary }, { token });
  await call(app, 'POST', '/v2/accounts/pin-codes/send', {}, { token });
  await call(app, 'POST', '/v2/accounts/customers/data-capture', {
    ...{ email, full_name: canary, company: canary, merchant_uuid: merchant.uuid },
  });
  const bought = await call<Submitted>(
    app,
    'POST',
    '/subscriptions',
    {
      ...purchase(lived, cards.success),
      ...{ card_name: canary, referrer: `https://a.example/${canary}`, return_url: `https://a.example/${canary}` },
    },
    { token },
  );
  await reaches(app, consumer, bought.body.subscription_id, 'active');
  await giveCredit(app, account.id, 100);
  await call(app, 'POST', '/accounts/export', { password }, { token });
  await until(() =>
    mailServer.received.some(
      ({ subject, recipients }) => subject?.startsWith('Your data') && recipients.includes(email),
    ),
  );
  return { shop: lived, id: bought.body.subscription_id };
}
