import { randomUUID } from 'node:crypto';
import { acceptance, createRole, createStaff, invite, newAddress } from '../staff';
import { type Examples } from './example';

const role = 'read_only';

/** The staff of a merchant. */
export const staffExamples: Examples = {
  listStaff: { request: () => ({}) },
  changeStaffRole: [
    {
      request: async ({ app, merchant }) => ({
        params: { id: (await createStaff(app, merchant, { role })).id },
        body: { role: 'editor' },
      }),
      owned: { 'params.id': 'merchant' },
    },
    {
      request: async ({ app, merchant }) => ({
        params: { id: (await createStaff(app, merchant, { role })).id },
        body: { role_id: await createRole(app, merchant, ['items:read']) },
      }),
      owned: { 'params.id': 'merchant', 'body.role_id': 'merchant' },
    },
  ],
  removeStaff: {
    request: async ({ app, merchant }) => ({ params: { id: (await createStaff(app, merchant, { role })).id } }),
    owned: { 'params.id': 'merchant' },
  },
  listStaffInvitations: { request: () => ({}) },
  inviteStaff: [
    { request: () => ({ body: { email: newAddress(), role } }) },
    {
      request: async ({ app, merchant }) => ({
        body: { email: newAddress(), role_id: await createRole(app, merchant, ['items:read']) },
      }),
      owned: { 'body.role_id': 'merchant' },
    },
  ],
  resendStaffInvitation: {
    request: async ({ app, merchant }) => ({ params: { id: (await invite(app, merchant, { role })).id } }),
    owned: { 'params.id': 'merchant' },
  },
  withdrawStaffInvitation: {
    request: async ({ app, merchant }) => ({ params: { id: (await invite(app, merchant, { role })).id } }),
    owned: { 'params.id': 'merchant' },
  },
  acceptStaffInvitation: {
    request: async ({ app, merchant }) => ({ body: acceptance((await invite(app, merchant, { role })).token) }),
    unowned: { 'body.token': 'a secret of the mail, of which one character decides' },
  },
  listStaffRoles: { request: () => ({}) },
  createStaffRole: { request: () => ({ body: { name: `Role ${randomUUID()}`, scopes: ['items:read'] } }) },
  updateStaffRole: {
    request: async ({ app, merchant }) => ({
      params: { id: await createRole(app, merchant, ['items:read']) },
      body: { name: `Role ${randomUUID()}`, scopes: ['items:read', 'vouchers:read'] },
    }),
    owned: { 'params.id': 'merchant' },
  },
  deleteStaffRole: {
    request: async ({ app, merchant }) => ({ params: { id: await createRole(app, merchant, ['items:read']) } }),
    owned: { 'params.id': 'merchant' },
  },
};
