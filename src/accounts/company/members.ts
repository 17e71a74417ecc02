import { unusablePassword } from '../../adapters/passwords';
import { type CompanyProfile } from '../../adapters/companyProviders/provider';
import { transaction, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { formEmail, normalizeEmail } from '../../kit/form';
import { requestLanguage } from '../../kit/pages/languages';
import { Account } from '../accounts.model';
import { admitMember } from '../staff/invitations';
import { CompanyIdentity, type CompanyProvider, takeInvitation } from './company.model';
import { CompanyRefusal } from './refusals';

/**
 * Finds the member of the staff that a provider has confirmed. The address counts only if the provider has verified it and the
 * merchant allows its domain. The first sign-in stores the provider's id of the person. From then on the id identifies the
 * member, because a company can give an address to another person.
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
  const passwordHash = unusablePassword();
  const visitor = { merchant, email: email.data, profile, passwordHash, request };
  const resolve = () => transaction((inTransaction) => resolveMember(inTransaction, visitor));
  return resolve().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'account_exists') throw new CompanyRefusal('account_exists');
    if (!mayBeOvertaken(error)) throw error;
    return resolve();
  });
}

/** Another sign-in of the same person may have used the invitation or stored the id at the same time. */
function mayBeOvertaken(error: unknown): boolean {
  if (violatedConstraint(error) !== undefined) return true;
  return error instanceof CompanyRefusal && (error.reason === 'not_invited' || error.reason === 'other_person');
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

/** The lock makes this sign-in run before or after a removal of the member. */
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

/** Refuses a member that has another id at the provider. */
async function refuseOther(inTransaction: Transaction, issuer: string, accountId: number): Promise<void> {
  const others = await CompanyIdentity.count({ where: { issuer, accountId }, transaction: inTransaction });
  if (others > 0) throw new CompanyRefusal('other_person', accountId);
}
