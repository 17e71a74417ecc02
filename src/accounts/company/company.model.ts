import { boolean, bytes, defaulted, integer, key, modelOf, text, texts, time } from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { type InvitationGrant } from '../staff/staff.model';

/** The OpenID provider of a company. Its secret is sealed for the merchant. */
export class CompanyProvider extends modelOf({
  merchantId: key(integer()),
  issuer: text(),
  clientId: text(),
  sealedSecret: bytes(),
  domains: texts(),
  isActive: boolean(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
CompanyProvider.init(CompanyProvider.columns, { sequelize, tableName: 'company_providers' });

/** The provider's id of a member of the staff. */
export class CompanyIdentity extends modelOf({
  merchantId: key(integer()),
  issuer: key(text()),
  subject: key(text()),
  accountId: integer(),
  createdAt: defaulted(time()),
}) {}
CompanyIdentity.init(CompanyIdentity.columns, { sequelize, tableName: 'company_identities' });

/** A sign-in in progress, found by the hash of its state and the hash of the secret that only the browser has. */
export class CompanySignIn extends modelOf({
  stateHash: key(bytes()),
  verifierHash: bytes(),
  merchantId: integer(),
  issuer: text(),
  clientId: text(),
  next: text(),
  isFresh: boolean(),
  expiresAt: time(),
}) {}
CompanySignIn.init(CompanySignIn.columns, { sequelize, tableName: 'company_sign_ins' });

/** Takes the valid invitation of an address. An invitation as owner is accepted only by the link in its mail. */
export async function takeInvitation(
  inTransaction: Transaction,
  merchantId: number,
  emailNormalized: string,
): Promise<InvitationGrant | undefined> {
  const [invited] = await execute<InvitationGrant>(
    inTransaction,
    `DELETE FROM staff_invitations
     WHERE merchant_id = $1 AND email_normalized = $2 AND expires_at > now() AND role IS DISTINCT FROM 'owner'
     RETURNING email, role, role_id`,
    [merchantId, emailNormalized],
  );
  return invited;
}

const companySession = statement(
  'session_of_company',
  `SELECT FROM sessions WHERE id = $1 AND merchant_id = $2 AND grant_type = 'company'`,
);

export async function hasCompanySession(sessionId: string, merchantId: number): Promise<boolean> {
  return (await companySession([sessionId, merchantId])).length > 0;
}
