import { type z } from 'zod';
import { scopesOfRole, staffRoleNames } from '../../kit/staffRoles';
import { unixSeconds } from '../../kit/time';
import { type InvitationRow, type MemberRow, type RoleColumns, type StaffRole } from './staff.model';
import { type InvitationResponse, type RoleResponse, type StaffResponse } from './staff.schemas';

export function presentMember(row: MemberRow, merchantId: number): z.output<typeof StaffResponse> {
  return {
    id: row.id,
    email: row.email,
    full_name: row.full_name,
    ...presentChoice(row),
    is_merchant: row.id === merchantId,
    has_second_factor: row.has_second_factor,
    last_sign_in_at: row.last_sign_in_at === null ? null : unixSeconds(row.last_sign_in_at),
    created_at: unixSeconds(row.created_at),
  };
}

export function presentInvitation(row: InvitationRow): z.output<typeof InvitationResponse> {
  return {
    id: row.id,
    email: row.email,
    ...presentChoice(row),
    invited_by: row.invited_by,
    is_expired: row.expires_at.getTime() <= Date.now(),
    expires_at: unixSeconds(row.expires_at),
    created_at: unixSeconds(row.created_at),
  };
}

export function presentRole({ id, name, scopes, createdAt }: StaffRole): z.output<typeof RoleResponse> {
  return { id, name, scopes, created_at: unixSeconds(createdAt) };
}

function presentChoice({ role, role_id, role_name, role_scopes }: RoleColumns) {
  const scopes = [...(role_scopes ?? scopesOfRole(role ?? ''))];
  const known = staffRoleNames.find((name) => name === role) ?? null;
  return { role: known, role_id, role_name: role_name ?? role ?? '', scopes };
}
