import { z } from 'zod';
import { type Scope } from '../../kit/auth';
import { formEmail, formId, formList, formText, formUnless } from '../../kit/form';
import { grantableScopes, staffRoleNames } from '../../kit/staffRoles';
import { AuthenticationResponse, Password } from '../accounts.schemas';

/** One of the program's roles, or `role_id` for a role of the merchant. If both are sent, `role_id` counts. */
const roleChoice = {
  role: formUnless('role_id', z.enum(staffRoleNames)),
  role_id: formUnless('role', formId()),
};

export const StaffPath = z.object({ id: formId() });
export const InvitationPath = StaffPath;
export const RolePath = StaffPath;

export const RoleChoice = z.object(roleChoice);
export const InviteBody = z.object({ email: formEmail(), ...roleChoice });

export const AcceptBody = z.object({
  token: z.string().min(1).max(200),
  full_name: formText({ max: 250 }),
  password: Password,
  password_confirmation: z.string().max(256),
});

/** An empty `scopes[]=` is an empty list. */
const RoleScopes = formList(z.union([z.enum(grantableScopes as [Scope, ...Scope[]]), z.literal('')]), 50).transform(
  (list) => grantableScopes.filter((scope) => list.includes(scope)),
);
export const RoleBody = z.object({ name: formText({ max: 60 }), scopes: RoleScopes });

/** `role` is null for a role of the merchant, which `role_id` and `role_name` name. */
const shownRole = {
  role: z.enum(staffRoleNames).nullable(),
  role_id: z.int().nullable(),
  role_name: z.string(),
  scopes: z.array(z.string()),
};

/** Times are Unix time. `is_merchant`: the merchant's own account, which is always an owner. */
export const StaffResponse = z.object({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  ...shownRole,
  is_merchant: z.boolean(),
  has_second_factor: z.boolean(),
  last_sign_in_at: z.int().nullable(),
  created_at: z.int(),
});
export const StaffList = z.array(StaffResponse);

export const InvitationResponse = z.object({
  id: z.int(),
  email: z.string(),
  ...shownRole,
  invited_by: z.int(),
  is_expired: z.boolean(),
  expires_at: z.int(),
  created_at: z.int(),
});
export const InvitationList = z.array(InvitationResponse);

export const RoleResponse = z.object({
  id: z.int(),
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: z.int(),
});
export const RoleList = z.array(RoleResponse);

export const AcceptedResponse = AuthenticationResponse;
