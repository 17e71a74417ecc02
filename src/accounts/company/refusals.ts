import { type CompanyFault } from '../../adapters/companyProviders/provider';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type RequestFacts } from '../../kit/endpoint';
import { type Account } from '../accounts.model';

/** The reasons of a refused sign-in. The sign-in page explains each of them. */
export type CompanyReason =
  | CompanyFault
  | 'provider_off'
  | 'not_begun_here'
  | 'email_not_verified'
  | 'domain_not_allowed'
  | 'not_invited'
  | 'owner_uses_password'
  | 'other_person'
  | 'account_exists'
  | 'merchant_suspended';

/** A refused sign-in. `accountId`: the member, if one is known. */
export class CompanyRefusal extends Error {
  override readonly name = 'CompanyRefusal';

  constructor(
    readonly reason: CompanyReason,
    readonly accountId?: number,
  ) {
    super(`The sign-in was refused: ${reason}`);
  }
}

/**
 * Writes a refusal to the audit log. The provider has confirmed the person. The actor is the member, or the merchant if the
 * person is not a member.
 */
export async function recordRefusal(
  { id: merchantId }: Account,
  { reason, accountId = merchantId }: CompanyRefusal,
  { clientAddress, requestId }: RequestFacts,
): Promise<void> {
  const actor = { merchantId, accountId, clientAddress };
  const object = ['company_sign_in', reason] as const;
  await transaction((inTransaction) =>
    audit(inTransaction, actor, { action: 'company_sign_in.refuse', object, requestId }),
  );
}
