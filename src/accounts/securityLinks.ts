import { baseUrl } from '../adapters/settings';
import { type Account } from './accounts.model';

/** The pages to which the mails about the safety of an account lead. */

type Owner = Pick<Account, 'role' | 'merchantUuid'>;

/** The page with the second factors and passkeys of an account. That of customers and operators also shows the sessions. */
export function securityUrl({ role, merchantUuid }: Owner): string {
  if (role === 'consumer') return `${baseUrl}/portal/${merchantUuid}/security`;
  return `${baseUrl}/${role === 'operator' ? 'operator' : 'console'}/security`;
}

/** The page with the sessions of an account. */
export const sessionsUrl = (owner: Owner): string =>
  owner.role === 'consumer' || owner.role === 'operator' ? securityUrl(owner) : `${baseUrl}/console/sessions`;

/** The page that mails a link for a new password. Undefined for operators, who have no such page. */
export function forgottenPasswordUrl({ role, merchantUuid }: Owner): string | undefined {
  if (role === 'operator') return undefined;
  return `${baseUrl}/${role === 'consumer' ? `portal/${merchantUuid}` : 'console'}/forgotten`;
}
