export const bareActivities = {
  remote: () => Promise.resolve(),
  local: () => Promise.resolve(),
};

export type BareActivities = typeof bareActivities;
