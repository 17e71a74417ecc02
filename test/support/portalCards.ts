import { call } from './client';
import { createShop, password, purchase, reaches, type Shop, type Submitted } from './factories';
import { receives } from './mailbox';
import { PageWalker, type Walked } from './pageWalker';
import { type TestApp } from './startApp';

/** A subscription that was bought in an app, and the portal in a browser that has not used its card. */
export interface UnprovenBrowser {
  shop: Shop;
  id: string;
  /** The page of the subscription. */
  path: string;
  walker: PageWalker;
  /** Enters the code that is mailed. `fields`: those of the page that asks for it. */
  confirm: (fields?: Record<string, string>) => Promise<Walked>;
}

/** By default, a new shop and no voucher. */
export async function openPortalElsewhere(
  app: TestApp,
  bought: { shop?: Shop; voucherCode?: string } = {},
): Promise<UnprovenBrowser> {
  const { shop = await createShop(app), voucherCode: code } = bought;
  const wanted = { ...purchase(shop), ...(code !== undefined && { voucher_code: code }) };
  const { subscription_id: id } = (await call<Submitted>(app, 'POST', '/subscriptions', wanted, shop.consumer)).body;
  await reaches(app, shop.consumer, id, 'active');
  const portal = `/portal/${shop.merchant.uuid}`;
  const path = `${portal}/subscriptions/${id}`;
  const walker = new PageWalker(app);
  await walker.open(`${portal}/sign-in`);
  await walker.submit(`${portal}/sign-in`, { username: shop.consumer.email, password });
  await walker.open(path);
  const confirm = async (fields: Record<string, string> = {}) => {
    await walker.submit(`${path}/card-code/mail`, fields);
    const mail = await receives(app, shop.merchant, shop.consumer.email, 'pin_code');
    const code = /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
    return walker.submit(`${path}/card-code`, { ...fields, pin_code: code });
  };
  return { shop, id, path, walker, confirm };
}

/** The customer has entered a mailed code in the browsers in which it is signed in. */
export async function proveMailbox({ pool }: Pick<TestApp, 'pool'>, accountId: number): Promise<void> {
  await pool.query(
    `INSERT INTO pin_codes (session_id, merchant_id, account_id, code_hash, expires_at, validated_at)
     SELECT id, merchant_id, account_id, '', now(), now() FROM sessions WHERE account_id = $1 ON CONFLICT DO NOTHING`,
    [accountId],
  );
}
