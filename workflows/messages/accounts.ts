/** Exports and erasures of accounts. */

/** An export or an erasure of an account: its row's id. */
export interface AccountOperationInput {
  operationId: number;
}

export type AccountWorkflow = 'exportAccount' | 'eraseAccount';

export const accountWorkflowId = (kind: 'export' | 'erasure', token: string) => `account-${kind}-${token}`;

/** The account is gone: canceled now, and nothing is charged after it. */
export const accountErasedSignal = 'accountErased';

export interface AccountErased {
  atMs?: number;
}
