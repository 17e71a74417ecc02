import { refuseMoving } from '../../accounts/merchants/states';
import { connectPlatform, stripeConnect } from '../../adapters/cardProviders';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { followConnectedAccount } from './connectedAccounts';
import { findPlatformAccount } from './providerAccounts.model';
import { receiveFrom } from './providerNotifications';
import { open } from './providers';

const received = message('Received');

/**
 * One endpoint receives the notifications of all accounts below the platform. Each names its account, and concerns purchases
 * of the account's merchant only. Notifications of unknown accounts, and those of the other mode, live or test, are ignored.
 */
export async function receiveConnectNotification(request: RequestFacts) {
  const { raw } = request;
  if (!connectPlatform || !raw) throw new AppError('not_found');
  const signature = raw.headers['stripe-signature'];
  const signed = typeof signature === 'string' ? signature : '';
  const { accountId, isLive, isAboutAccount } = stripeConnect().readConnectEvent(connectPlatform, raw.body, signed);
  if (accountId === undefined) return received;
  const account = await findPlatformAccount(`stripe:${accountId}`);
  if (!account || account.isLive !== isLive) return received;
  if (isAboutAccount) {
    await refuseMoving([account.merchantId]);
    await followConnectedAccount(account);
  }
  if (isAboutAccount || account.connectState === 'deauthorized') return received;
  return receiveFrom({ provider: open(account), merchantId: account.merchantId }, request);
}
