import { connectPlatform, stripeAccess, stripeAccounts, stripeConnect } from '../../adapters/cardProviders';
import { type AccountProblem } from '../../adapters/cardProviders/stripeAccount';
import { transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { findBelow, getMerchantFacts, makeCurrent, saveBelow, saveState } from './connectedAccounts.model';
import { lockAccounts, type ConnectedAccount } from './providerAccounts.model';
import { reportFault, settleFault } from './providerFaults';
import { accountIdOf } from './providers';
import { publicDomain } from './publicDomain';

/** The merchant's account below the operator's platform: opening it, and following its state at Stripe. */

const consolePage = `${baseUrl}/console/settings/payments`;

function getPlatform() {
  if (!connectPlatform) throw new AppError('connect_not_offered');
  return connectPlatform;
}

/** The page at Stripe on which the merchant opens the account, or answers what is missing. */
export async function connectPaymentAccount(caller: Caller, { requestId }: RequestFacts): Promise<{ url: string }> {
  const platform = getPlatform();
  const { merchantId } = caller;
  // The facts come first: an account that a parallel request saves in between is then found and not opened again.
  const facts = await getMerchantFacts(merchantId);
  const known = await findBelow(merchantId);
  const name = known?.name ?? `stripe:${await openAccount(facts)}`;
  await transaction(async (inTransaction) => {
    await lockAccounts(inTransaction, merchantId);
    const isLive = platform.secretKey.includes('_live_');
    await saveBelow(inTransaction, { merchantId, name, isLive });
    if (known?.connectState === 'active') await makeCurrent(inTransaction, { id: known.id, merchantId });
    await audit(inTransaction, caller, { action: 'payment_provider.set', object: ['account', name], requestId });
  });
  const link = { accountId: accountIdOf(name), returnUrl: `${consolePage}/connected`, refreshUrl: consolePage };
  return { url: await stripeConnect().createOnboardingLink(platform, link, stripeAccess()) };
}

type MerchantFacts = Awaited<ReturnType<typeof getMerchantFacts>>;

/** Two requests at once have the same key, and get the same account. */
async function openAccount({ uuid, accounts }: MerchantFacts): Promise<string> {
  const key = `connect:${uuid}:${accounts}`;
  return stripeConnect().createConnectedAccount(getPlatform(), { key, merchantUuid: uuid }, stripeAccess());
}

type Below = Pick<ConnectedAccount, 'id' | 'merchantId' | 'name'>;

/** Reads the account at Stripe and saves its state. A state that stops payments is reported to the merchant. */
export async function followConnectedAccount(account: Below): Promise<void> {
  const platform = getPlatform();
  const readAt = new Date();
  const read = await stripeConnect().readConnectedAccount(platform, accountIdOf(account.name), stripeAccess());
  const saved = await transaction(async (inTransaction) => {
    await lockAccounts(inTransaction, account.merchantId);
    return saveState(inTransaction, account, { ...read, readAt });
  });
  if (!saved || saved.before === read.state) return;
  const { merchantId, name: provider } = account;
  for (const [state, message] of Object.entries(stopped))
    if (state === read.state) await reportFault({ merchantId, provider }, { code: `account_${state}`, message });
    else await settleFault({ merchantId, provider }, `account_${state}`);
}

/** States that stop payments, with what the merchant reads. */
const stopped: Readonly<Record<string, string>> = {
  restricted: 'Stripe does not let the account take payments. Open the payment settings to see what is missing.',
  deauthorized: 'The platform was removed from the account at Stripe. Connect an account in the payment settings.',
};

/** What keeps wallets from being offered on the account. */
export async function findWalletProblem(name: string): Promise<AccountProblem | undefined> {
  const { secretKey } = getPlatform();
  const access = { ...stripeAccess(), stripeAccount: accountIdOf(name) };
  return publicDomain === undefined ? undefined : stripeAccounts().registerDomain(secretKey, publicDomain, access);
}
