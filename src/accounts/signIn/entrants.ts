import { Op, type WhereOptions } from 'sequelize';
import { operatorClientId } from '../../adapters/settings';
import { type Client } from '../../oauthApps/clients';
import { type Account } from '../accounts.model';

/** The client of a sign-in: an app of a merchant, the platform, or the client of operators. */
export type Entrance = Pick<Client, 'merchantId'> | 'platform' | 'operators';

/** The entrance of a client that belongs to no merchant. */
export const entranceOf = (clientId: string): 'platform' | 'operators' =>
  clientId.toLowerCase() === operatorClientId ? 'operators' : 'platform';

/**
 * The accounts that may sign in through a client. Merchants use the platform or their own apps, their staff only the
 * platform, operators their own client, and customers the apps of their merchant.
 */
export function entrantsOf(entrance: Entrance): WhereOptions<Account> {
  if (entrance === 'operators') return { role: 'operator' };
  if (entrance === 'platform') return atPlatform;
  return { merchantId: entrance.merchantId, role: ['consumer', 'merchant'] };
}

/** The condition of the unique index of addresses. */
export const atPlatform = { [Op.or]: [{ role: 'merchant' }, { role: 'staff', isActive: true }] };

/** The same rule for an account that is already known, such as the owner of a passkey. */
export function mayEnter({ isActive, role, merchantId }: Account, entrance: Entrance): boolean {
  if (!isActive) return false;
  if (entrance === 'operators') return role === 'operator';
  if (entrance === 'platform') return role === 'merchant' || role === 'staff';
  return merchantId === entrance.merchantId && role !== 'staff';
}
