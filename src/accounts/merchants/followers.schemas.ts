import { z } from 'zod';
import { scopes } from '../../kit/auth';
import { formEmail, formFlags, formId, formList, formText } from '../../kit/form';
import { AccountResponse, Password } from '../accounts.schemas';

/** Each scope once; an empty `scopes[]=` is an empty list. */
const ScopeList = formList(z.union([z.enum(scopes), z.literal('')]), 50).transform((list) =>
  scopes.filter((scope) => list.includes(scope)),
);

/** Payment methods by id, each allowed or not. A method that is not named is allowed. */
const Methods = formFlags({ keyMax: 100 });

/** `follower_id` names an account that is or was the caller's follower. The other fields describe a new one. */
export const CreateFollowerBody = z.object({
  follower_id: formId().optional(),
  master_id: formId().optional(),
  full_name: formText({ max: 250 }).optional(),
  email: formEmail().optional(),
  password: Password.optional(),
  scopes: ScopeList.optional(),
  methods: Methods.optional(),
});

export const UpdateRelationBody = z.object({
  follower_id: formId(),
  scopes: ScopeList,
  methods: Methods.optional(),
});

export const RemoveRelationBody = z.object({ follower_id: formId() });

const scopeNames = z.array(z.string());
const methodFlags = z.record(z.string(), z.boolean());

export const RelationResponse = z.object({
  master_id: z.int(),
  follower_id: z.int(),
  scopes: scopeNames,
  methods: methodFlags,
  created_at: z.int(),
});

export const FollowerList = z.array(
  z.object({
    id: z.int(),
    uuid: z.uuid(),
    email: z.string(),
    full_name: z.string(),
    country: z.string().length(2).nullable().meta({ description: 'ISO 3166-1 alpha-2; null if unknown' }),
    active: z.boolean(),
    merchant_id: z.int(),
    is_master: z.boolean(),
    scopes: scopeNames,
    methods: methodFlags,
    created_at: z.int(),
  }),
);

/** With the token, the master acts as the follower for one hour. The follower signs in by itself. */
export const CreatedFollowerResponse = z.object({
  access_token: z.string(),
  expires: z.int(),
  expires_at: z.int(),
  account: z.object({ ...AccountResponse.shape, master_id: z.int(), scopes: scopeNames }),
});
