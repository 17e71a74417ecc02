import { createConsumer, createFee, createItem, reaches, subscribe } from './factories';
import { confirmationPath } from './payer';
import { createBrandedMerchant } from './paywall';
import { changeCardOutcome } from './scenarios';
import { type TestApp } from './startApp';
import { failToRenew } from './testClock';

/** A renewal that waits for its absent payer, and the path of the page that confirms it. */
export async function waitingRenewal(app: TestApp) {
  const merchant = await createBrandedMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, consumer, id, 'active');
  await changeCardOutcome(app, { id }, 'needs_authentication');
  await failToRenew(app, shop, id);
  return { shop, id, path: await confirmationPath(app, id) };
}

/** The link with one character of its seal changed. The last character may carry unused bits only, so it stays. */
export const changedLink = (path: string) => path.slice(0, -5) + (path.at(-5) === 'A' ? 'B' : 'A') + path.slice(-4);
