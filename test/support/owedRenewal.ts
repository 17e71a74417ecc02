import { createConsumer, createFee, createItem, reaches, subscribe, type Shop } from './factories';
import { receives } from './mailbox';
import { createBrandedMerchant } from './paywall';
import { changeCardOutcome } from './scenarios';
import { type TestApp } from './startApp';
import { failToRenew } from './testClock';

/** A renewal that the bank has declined, and the path of the link in its mail. The card pays again. */
export async function owedRenewal(
  app: TestApp,
  outcome = 'success',
  beforePurchase: (shop: Shop) => Promise<void> = async () => {},
) {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
  await beforePurchase(shop);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, consumer, id, 'active');
  await changeCardOutcome(app, { id }, 'declined');
  await failToRenew(app, shop, id);
  const mail = await receives(app, merchant, consumer.email, 'payment_failed');
  const [path] = /\/payments\/pay\/[\w-]+/.exec(mail.text ?? '') ?? [];
  if (path === undefined) throw new Error('the mail has no link');
  await changeCardOutcome(app, { id }, outcome);
  return { shop, id, path };
}
