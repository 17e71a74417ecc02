/** Exports and erasures of accounts. */

/** The id of the row of an export or an erasure. */
export interface AccountOperationInput {
  operationId: number;
}

export type AccountWorkflow = 'exportAccount' | 'eraseAccount';

export const accountWorkflowId = (kind: 'export' | 'erasure', token: string) => `account-${kind}-${token}`;

/** The account is being erased: its subscriptions are canceled and nothing more is charged. */
export const accountErasedSignal = 'accountErased';
