/** A mistake in one of the real files, which a rule of `rules.ts` has to notice. */
export interface PlantedMistake {
  readonly rule: string;
  readonly mistake: string;
  readonly file: string;
  readonly find: string | RegExp;
  readonly put: string;
  /** Part of what the rule says. */
  readonly found: string;
}

const checkout = /actions\/checkout@\w+ # v[\d.]+/;
const downloadStep = /- uses: actions\/download-artifact/;
const publishLine = 'npm publish "$tarball"';

const of = (rule: string, mistakes: Record<string, Omit<PlantedMistake, "rule" | "mistake">>): PlantedMistake[] =>
  Object.entries(mistakes).map(([mistake, how]) => ({ rule, mistake, ...how }));

export const plantedMistakes: readonly PlantedMistake[] = [
  ...of("every action is pinned by a commit, its version beside it", {
    "a tag": { file: "ci.yml", find: checkout, put: "actions/checkout@v7 # v7.0.1", found: "not pinned" },
    "a branch": { file: "nightly.yml", find: checkout, put: '"actions/checkout@main" # v7.0.1', found: "not pinned" },
    "a short hash": { file: "ci.yml", find: checkout, put: "actions/checkout@3d3c42e # v7.0.1", found: "not pinned" },
    "no version": { file: "ci.yml", find: / # v7\.0\.1/, put: "", found: "without its version" },
    "a version that moves": { file: "ci.yml", find: / # v7\.0\.1/, put: " # v7", found: "without its version" },
    "an image by its tag": { file: "ci.yml", find: checkout, put: "docker://node:24 # v24.0.0", found: "not pinned" },
    "a folder that is not read": {
      file: "ci.yml",
      find: checkout,
      put: "./.github/actions/setup",
      found: "does not read",
    },
    "an alias of a tag": {
      file: "ci.yml",
      find: /name: CI\n[\s\S]*?actions\/checkout@\w+ # v[\d.]+/,
      put: "name: &checkout actions/checkout@v7\non: push\njobs:\n  test:\n    steps:\n      - uses: *checkout",
      found: "not pinned",
    },
    "a called workflow of others": {
      file: "release.yml",
      find: "./.github/workflows/ci.yml",
      put: "others/workflows/.github/workflows/ci.yml@main",
      found: "not pinned",
    },
  }),
  ...of("a workflow has no rights, or reads", {
    "the default of the repository": { file: "ci.yml", find: "permissions: {}\n", put: "", found: "top-level" },
    "all rights": { file: "ci.yml", find: "permissions: {}", put: "permissions: write-all", found: "top-level" },
    "one right": {
      file: "nightly.yml",
      find: "permissions: {}",
      put: "permissions: { issues: write }",
      found: "top-level",
    },
  }),
  ...of("a job names each of its rights", {
    "all rights": {
      file: "ci.yml",
      find: "permissions:\n      contents: read",
      put: "permissions: write-all",
      found: "write-all",
    },
    "every secret": {
      file: "release.yml",
      find: "    permissions:\n      contents: read",
      put: "    secrets: inherit",
      found: "inherits",
    },
  }),
  ...of("what may publish builds nothing", {
    "the job that packs may publish": {
      file: "release.yml",
      find: "contents: read\n    steps:\n      - uses: actions/checkout",
      put: "id-token: write\n    steps:\n      - uses: actions/checkout",
      found: "uses actions/checkout",
    },
    "the tests may publish": {
      file: "release.yml",
      find: "permissions:\n      contents: read",
      put: "permissions:\n      id-token: write",
      found: "calls ./.github/workflows/ci.yml",
    },
    "a checkout beside it": {
      file: "release.yml",
      find: downloadStep,
      put: "- uses: actions/checkout@1\n      - uses: actions/download-artifact",
      found: "uses actions/checkout",
    },
    "packs again": {
      file: "release.yml",
      find: publishLine,
      put: `npm run tarballs && ${publishLine}`,
      found: "runs npm",
    },
    installs: { file: "release.yml", find: publishLine, put: `npm ci; ${publishLine}`, found: "runs npm" },
    "runs what came with the tarballs": {
      file: "release.yml",
      find: publishLine,
      put: "./publish.sh",
      found: "publish.sh",
    },
    "publishes a folder": { file: "release.yml", find: publishLine, put: "npm publish", found: "runs npm publish" },
    "publishes by a program of the dependencies": {
      file: "release.yml",
      find: publishLine,
      put: "npx changeset publish",
      found: "runs npx",
    },
  }),
  ...of("no stranger starts a run that has rights", {
    "a fork's pull request": {
      file: "ci.yml",
      find: "  pull_request:",
      put: "  pull_request_target:",
      found: "pull_request_target",
    },
    "a comment": { file: "nightly.yml", find: "workflow_dispatch:", put: "issue_comment:", found: "issue_comment" },
    "the end of a fork's run": {
      file: "release.yml",
      find: "on:\n",
      put: "on:\n  workflow_run:\n    workflows: [CI]\n",
      found: "workflow_run",
    },
  }),
  ...of("no expression becomes part of a script", {
    "a title": {
      file: "ci.yml",
      find: "run: npm test",
      put: `run: echo \${{ github.event.pull_request.title }}`,
      found: "title",
    },
    "a branch": {
      file: "ci.yml",
      find: "run: npm test",
      put: `run: |\n          git log \${{ github.head_ref }}`,
      found: "head_ref",
    },
    "a value of the matrix": { file: "nightly.yml", find: '"$SCRIPT"', put: `\${{ matrix.script }}`, found: "matrix" },
    "the script of an action": {
      file: "release.yml",
      find: "script: npm run version",
      put: `script: npm run version \${{ inputs.what }}`,
      found: "inputs",
    },
  }),
  ...of("a checkout keeps no credentials", {
    "by default": {
      file: "nightly.yml",
      find: "        with:\n          persist-credentials: false\n",
      put: "",
      found: "checkout",
    },
    "on purpose": {
      file: "release.yml",
      find: "persist-credentials: false",
      put: "persist-credentials: true",
      found: "checkout",
    },
  }),
  ...of("every job ends", {
    "after six hours": { file: "ci.yml", find: "    timeout-minutes: 30\n", put: "", found: "test" },
  }),
  ...of("a failure is a failure", {
    "but for a step": {
      file: "nightly.yml",
      find: "- run: npm run test:properties",
      put: "- continue-on-error: true\n        run: npm run test:properties",
      found: "properties",
    },
    "but for a job": {
      file: "ci.yml",
      find: "    timeout-minutes: 30\n",
      put: "    timeout-minutes: 30\n    continue-on-error: true\n",
      found: "test",
    },
  }),
  ...of("runs of a workflow do not pile up", {
    "one beside the other": {
      file: "nightly.yml",
      find: "concurrency:\n  group: nightly\n",
      put: "",
      found: "concurrency",
    },
  }),
];
