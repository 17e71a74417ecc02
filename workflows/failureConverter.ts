import { DefaultFailureConverter } from '@temporalio/common';

/** Error messages and stacks are sent as payloads, so that the codec also encrypts them. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
