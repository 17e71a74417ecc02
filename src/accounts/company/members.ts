import { type CompanyProfile } from '../../adapters/companyProviders/provider';
import { transaction, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { formEmail, normalizeEmail } from '../../kit/form';
import { requestLanguage } from '../../kit/pages/languages';
import { Account } from '../accounts.model';
import { unusablePassword } from '../signIn/possession';
import { admitMember } from '../staff/invitations';
import { CompanyIdentity, type CompanyProvider, takeInvitation } from './company.model';
import { CompanyRefusal } from './refusals';

/**
 * The member of the staff whom a provider has named. The address proves the person only if the provider has verified it and
 * the merchant allows its domain. The first sign-in ties the member to the provider's id of the person, which counts
 * from then on: at a company, an address can pass to somebody else.
 */

interface Visitor {
  merchant: Account;
  email: string;
  profile: CompanyProfile;
  passwordHash: string;
  request: RequestFacts;
}

export async function findMember(
  provider: CompanyProvider,
  merchant: Account,
  profile: CompanyProfile,
  request: RequestFacts,
): Promise<Account> {
  const email = formEmail().safeParse(profile.email);
  if (!email.success || !profile.emailIsVerified) throw new CompanyRefusal('email_not_verified');
  const [, domain = ''] = normalizeEmail(email.data).split('@');
  if (!provider.domains.includes(domain)) throw new CompanyRefusal('domain_not_allowed');
  const passwordHash = await unusablePassword();
  const visitor = { merchant, email: email.data, profile, passwordHash, request };
  const resolve = () => transaction((inTransaction) => resolveMember(inTransaction, visitor));
  return resolve().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'account_exists') throw new CompanyRefusal('account_exists');
    if (!mayBeOvertaken(error)) throw error;
    return resolve();
  });
}

/** Of two first sign-ins at the same time, the second finds the invitation used, and the identity of the first. */
function mayBeOvertaken(error: unknown): boolean {
  return violatedConstraint(error) !== undefined || (error instanceof CompanyRefusal && error.reason === 'not_invited');
}

async function resolveMember(inTransaction: Transaction, visitor: Visitor): Promise<Account> {
  const { merchant, email, profile } = visitor;
  const { id: merchantId } = merchant;
  const { issuer, subject } = profile;
  const identity = { merchantId, issuer, subject };
  const known = await CompanyIdentity.findOne({ where: identity, transaction: inTransaction });
  if (known) return getActive(inTransaction, merchantId, known.accountId);
  const emailNormalized = normalizeEmail(email);
  const owner = await Account.count({
    where: { id: merchantId, emailNormalized },
    transaction: inTransaction,
  });
  if (owner > 0) throw new CompanyRefusal('owner_uses_password');
  const account =
    (await findByAddress(inTransaction, merchantId, emailNormalized)) ??
    (await admitInvited(inTransaction, emailNormalized, visitor));
  await refuseOther(inTransaction, issuer, account.id);
  await CompanyIdentity.create({ ...identity, accountId: account.id }, { transaction: inTransaction });
  const { clientAddress, requestId } = visitor.request;
  const actor = { merchantId, accountId: account.id, clientAddress };
  const object = ['account', account.id] as const;
  await audit(inTransaction, actor, { action: 'company_identity.link', object, requestId });
  return account;
}

async function getActive(inTransaction: Transaction, merchantId: number, accountId: number): Promise<Account> {
  const where = { id: accountId, merchantId, role: 'staff', isActive: true };
  const account = await Account.findOne({ where, transaction: inTransaction });
  if (!account) throw new CompanyRefusal('not_invited', accountId);
  return account;
}

/** The lock orders this sign-in and a removal of the member that runs at the same time. */
function findByAddress(inTransaction: Transaction, merchantId: number, emailNormalized: string) {
  return Account.findOne({
    where: { merchantId, emailNormalized, role: 'staff', isActive: true },
    transaction: inTransaction,
    lock: inTransaction.LOCK.NO_KEY_UPDATE,
  });
}

async function admitInvited(
  inTransaction: Transaction,
  emailNormalized: string,
  { merchant, email, profile, passwordHash, request }: Visitor,
): Promise<Account> {
  const invited = await takeInvitation(inTransaction, merchant.id, emailNormalized);
  if (!invited) throw new CompanyRefusal('not_invited');
  const name = (profile.name ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, 250);
  const member = { full_name: name === '' ? email : name, language: requestLanguage(request) };
  return admitMember(inTransaction, invited, { merchant, passwordHash, member, request });
}

/** Whether the member is tied to another person of the provider. */
async function refuseOther(inTransaction: Transaction, issuer: string, accountId: number): Promise<void> {
  const others = await CompanyIdentity.count({ where: { issuer, accountId }, transaction: inTransaction });
  if (others > 0) throw new CompanyRefusal('other_person', accountId);
}
