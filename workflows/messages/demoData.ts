/** The demo data of a merchant of a test environment. */

export interface DemoDataInput {
  /** The id of the row. */
  fillId: number;
}

export interface DemoStep extends DemoDataInput {
  step: number;
}

/** The day of each step. The last month has more of them, because the overview shows its days. */
export const demoDays = [0, 27, 61, 88, 125, 150, 183, 209, 246, 270, 303, 331, 336, 341, 346, 351, 356, 361, 365];
export const demoSteps = demoDays.length;

export const demoDataWorkflowId = (token: string) => `demo-data-${token}`;
