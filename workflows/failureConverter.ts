import { DefaultFailureConverter } from '@temporalio/common';

/** Error messages and stacks travel as payloads, so that the codec encrypts them too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
