/** The demo data of a merchant of a test environment. */

export interface DemoDataInput {
  /** The id of the row. */
  fillId: number;
}

export interface DemoStep extends DemoDataInput {
  step: number;
}

/** The days of the year on which something is bought, changed or given back. */
export const demoSteps = 19;

export const demoDataWorkflowId = (token: string) => `demo-data-${token}`;
