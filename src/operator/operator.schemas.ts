import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { PageQuery, pageOf } from '../kit/page';

const State = z.enum(['open', 'waiting', 'suspended']);

export const MerchantQuery = PageQuery.extend({
  state: State.optional(),
  search: formText({ max: 200 }).optional(),
});

export const MerchantPath = z.object({ id: formId() });

/** The merchant reads the reason at its next sign-in. It is no place for personal data. */
export const SuspendBody = z.object({ reason: formText({ max: 500 }) });

export const MerchantResponse = z.object({
  id: z.int(),
  uuid: z.uuid(),
  name: z.string(),
  email: z.string(),
  state: State,
  /** Why it is suspended. */
  reason: z.string().nullable(),
  /** The master of a follower. */
  master_id: z.int().nullable(),
  customers: z.int(),
  created_at: z.int(),
  waiting_since: z.int().nullable(),
  suspended_at: z.int().nullable(),
  /** The mails of this UTC day. A follower uses the budget of its master. */
  mail_budget: z.object({
    limit: z.int(),
    used: z.int(),
    /** Security mails to addresses that are not confirmed. They have a limit of their own, of the same size. */
    security_used: z.int(),
    /** Mails that wait for the budget of a later day. */
    waiting: z.int(),
    /** Mails of the last 7 days that mail servers refused permanently. */
    refused: z.int(),
    /** False if mail servers refuse too many mails. Then the limit is that of the first day. */
    is_in_good_standing: z.boolean(),
  }),
});

export const MerchantPage = pageOf(MerchantResponse);

const Waiting = z.object({ waiting: z.int(), parked: z.int(), oldest_seconds: z.int() });

export const QueuesResponse = z.object({
  /** Messages to Temporal. */
  outbox: Waiting,
  /** `postponed`: those of `waiting` that wait for the budget of their merchant. */
  mails: Waiting.extend({ postponed: z.int() }),
  webhooks: z.object({
    waiting: z.int(),
    oldest_seconds: z.int(),
    failed_last_day: z.int(),
    disabled_endpoints: z.int(),
  }),
  /** Rows that need a run, by workflow. `missing`: those without one; null while Temporal does not answer. */
  runs: z.array(
    z.object({ workflow: z.string(), overdue: z.int(), oldest_seconds: z.int(), missing: z.int().nullable() }),
  ),
});

export const MessagePath = z.object({ id: formId() });

export const RefusedMessagePage = pageOf(
  z.object({
    id: z.int(),
    workflow: z.string(),
    workflow_id: z.string(),
    /** Empty if `TEMPORAL_UI_URL` is not set. */
    workflow_url: z.string(),
    /** Null: the start of the workflow. */
    signal: z.string().nullable(),
    attempts: z.int(),
    /** Temporal's last answer. */
    error: z.string().nullable(),
    created_at: z.int(),
    refused_at: z.int(),
  }),
);

export const OperatorActionPage = pageOf(
  z.object({
    operator_id: z.int(),
    operator_email: z.string(),
    action: z.string(),
    object_type: z.string(),
    object_id: z.string(),
    address: z.string().nullable(),
    created_at: z.int(),
  }),
);
