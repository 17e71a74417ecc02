import {
  bytes,
  defaulted,
  integer,
  key,
  modelOf,
  nullable,
  serial,
  text,
  texts,
  time,
} from '../../adapters/postgres/columns';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

/** A role that a merchant has defined. */
export class StaffRole extends modelOf({
  id: serial(),
  merchantId: integer(),
  name: text(),
  scopes: texts(),
  createdAt: defaulted(time()),
}) {}
StaffRole.init(StaffRole.columns, { sequelize, tableName: 'staff_roles' });

/** A role by its name, or a merchant's own role by its id. */
export interface RoleKey {
  role: string | null;
  roleId: number | null;
}

/** Either `role` or `roleId` is null. */
export class StaffMember extends modelOf({
  accountId: key(integer()),
  merchantId: integer(),
  role: nullable(text()),
  roleId: nullable(integer()),
  createdAt: defaulted(time()),
}) {}
StaffMember.init(StaffMember.columns, { sequelize, tableName: 'staff_members' });

export class StaffInvitation extends modelOf({
  id: serial(),
  merchantId: integer(),
  email: text(),
  emailNormalized: text(),
  role: nullable(text()),
  roleId: nullable(integer()),
  invitedBy: integer(),
  tokenHash: bytes(),
  expiresAt: time(),
  createdAt: defaulted(time()),
}) {}
StaffInvitation.init(StaffInvitation.columns, { sequelize, tableName: 'staff_invitations' });

/** What an accepted invitation grants, and to which address. */
export interface InvitationGrant {
  email: string;
  role: string | null;
  role_id: number | null;
}

/** A role with the scopes of a merchant's own role. */
export interface RoleColumns {
  role: string | null;
  role_id: number | null;
  role_name: string | null;
  role_scopes: string[] | null;
}

export interface MemberRow extends RoleColumns {
  id: number;
  email: string;
  full_name: string;
  has_second_factor: boolean;
  created_at: Date;
  last_sign_in_at: Date | null;
}

const membersStatement = statement<MemberRow>(
  'staff_members',
  `SELECT a.id, a.email, a.full_name, CASE WHEN m.account_id IS NULL THEN 'owner' ELSE m.role END AS role, m.role_id,
     r.name AS role_name, r.scopes AS role_scopes, a.created_at,
     EXISTS (SELECT FROM second_factors f WHERE f.account_id = a.id AND f.confirmed_at IS NOT NULL)
       OR EXISTS (SELECT FROM passkeys p WHERE p.account_id = a.id) AS has_second_factor,
     (SELECT max(s.created_at) FROM sessions s WHERE s.account_id = a.id AND s.actor_uuid IS NULL
        AND s.grant_type <> 'client_credentials') AS last_sign_in_at
   FROM accounts a LEFT JOIN staff_members m ON m.account_id = a.id
     LEFT JOIN staff_roles r ON r.merchant_id = m.merchant_id AND r.id = m.role_id
   WHERE a.merchant_id = $1 AND (a.id = $1 OR m.account_id IS NOT NULL)
     AND a.id IN (SELECT $1 UNION ALL SELECT account_id FROM staff_members WHERE merchant_id = $1)
     AND ($2::int IS NULL OR a.id = $2) AND a.id > $3
   ORDER BY a.id LIMIT $4 OFFSET $5`,
);

/** One row by its id, or the rows after an id. */
interface RowChoice {
  id?: number;
  after?: number;
  limit: number;
  offset?: number;
}

/** The merchant's own account and its staff. */
export function listMembers(merchantId: number, { id, after = 0, limit, offset = 0 }: RowChoice): Promise<MemberRow[]> {
  return membersStatement([merchantId, id ?? null, after, limit, offset]);
}

export interface InvitationRow extends RoleColumns {
  id: number;
  email: string;
  invited_by: number;
  expires_at: Date;
  created_at: Date;
}

const invitationsStatement = statement<InvitationRow>(
  'staff_invitations',
  `SELECT i.id, i.email, i.role, i.role_id, r.name AS role_name, r.scopes AS role_scopes, i.invited_by, i.expires_at,
     i.created_at
   FROM staff_invitations i LEFT JOIN staff_roles r ON r.merchant_id = i.merchant_id AND r.id = i.role_id
   WHERE i.merchant_id = $1 AND ($2::int IS NULL OR i.id = $2) AND i.id > $3
   ORDER BY i.id LIMIT $4 OFFSET $5`,
);

export function listInvitationRows(
  merchantId: number,
  { id, after = 0, limit, offset = 0 }: RowChoice,
): Promise<InvitationRow[]> {
  return invitationsStatement([merchantId, id ?? null, after, limit, offset]);
}

/** A person who loses rights could have invited a second address. */
export async function endInvitations(inTransaction: Transaction, accountId: number): Promise<void> {
  await execute(inTransaction, 'DELETE FROM staff_invitations WHERE invited_by = $1', [accountId]);
}
