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

type Planted = readonly [file: string, find: string | RegExp, put: string, found: string];

const of = (rule: string, mistakes: Record<string, Planted>): PlantedMistake[] =>
  Object.entries(mistakes).map(([mistake, [file, find, put, found]]) => ({ rule, mistake, file, find, put, found }));

export const plantedMistakes: readonly PlantedMistake[] = [
  ...of("every action is pinned by a commit, its version beside it", {
    "a tag": ["ci.yml", checkout, "actions/checkout@v7 # v7.0.1", "not pinned"],
    "a branch": ["nightly.yml", checkout, '"actions/checkout@main" # v7.0.1', "not pinned"],
    "a short hash": ["ci.yml", checkout, "actions/checkout@3d3c42e # v7.0.1", "not pinned"],
    "no version": ["ci.yml", / # v7\.0\.1/, "", "without its version"],
    "a version that moves": ["ci.yml", / # v7\.0\.1/, " # v7", "without its version"],
    "an image by its tag": ["ci.yml", checkout, "docker://node:24 # v24.0.0", "not pinned"],
    "a folder that is not read": ["ci.yml", checkout, "./.github/actions/setup", "does not read"],
    "an alias of a tag": [
      "ci.yml",
      /name: CI\n[\s\S]*?actions\/checkout@\w+ # v[\d.]+/,
      "name: &checkout actions/checkout@v7\non: push\njobs:\n  test:\n    steps:\n      - uses: *checkout",
      "not pinned",
    ],
    "a called workflow of others": [
      "release.yml",
      "./.github/workflows/ci.yml",
      "others/workflows/.github/workflows/ci.yml@main",
      "not pinned",
    ],
  }),
  ...of("a workflow has no rights, or reads", {
    "the default of the repository": ["ci.yml", "permissions: {}\n", "", "top-level"],
    "all rights": ["ci.yml", "permissions: {}", "permissions: write-all", "top-level"],
    "one right": ["nightly.yml", "permissions: {}", "permissions: { issues: write }", "top-level"],
  }),
  ...of("a job names each of its rights", {
    "all rights": ["ci.yml", "permissions:\n      contents: read", "permissions: write-all", "write-all"],
    "every secret": ["release.yml", "    permissions:\n      contents: read", "    secrets: inherit", "inherits"],
  }),
  ...of("what may publish builds nothing", {
    "the job that packs may publish": [
      "release.yml",
      "contents: read\n    steps:\n      - uses: actions/checkout",
      "id-token: write\n    steps:\n      - uses: actions/checkout",
      "uses actions/checkout",
    ],
    "the tests may publish": [
      "release.yml",
      "permissions:\n      contents: read",
      "permissions:\n      id-token: write",
      "calls ./.github/workflows/ci.yml",
    ],
    "a checkout beside it": [
      "release.yml",
      downloadStep,
      "- uses: actions/checkout@1\n      - uses: actions/download-artifact",
      "uses actions/checkout",
    ],
    "packs again": ["release.yml", publishLine, `npm run tarballs && ${publishLine}`, "runs npm"],
    installs: ["release.yml", publishLine, `npm ci; ${publishLine}`, "runs npm"],
    "runs what came with the tarballs": ["release.yml", publishLine, "./publish.sh", "publish.sh"],
    "publishes a folder": ["release.yml", publishLine, "npm publish", "runs npm publish"],
    "publishes by a program of the dependencies": ["release.yml", publishLine, "npx changeset publish", "runs npx"],
  }),
  ...of("no stranger starts a run that has rights", {
    "a fork's pull request": ["ci.yml", "  pull_request:", "  pull_request_target:", "pull_request_target"],
    "a comment": ["nightly.yml", "workflow_dispatch:", "issue_comment:", "issue_comment"],
    "the end of a fork's run": ["release.yml", "on:\n", "on:\n  workflow_run:\n    workflows: [CI]\n", "workflow_run"],
  }),
  ...of("no expression becomes part of a script", {
    "a title": ["ci.yml", "run: npm test", `run: echo \${{ github.event.pull_request.title }}`, "title"],
    "a branch": ["ci.yml", "run: npm test", `run: |\n          git log \${{ github.head_ref }}`, "head_ref"],
    "a value of the matrix": ["nightly.yml", '"$SCRIPT"', `\${{ matrix.script }}`, "matrix"],
    "the script of an action": [
      "release.yml",
      "script: npm run version",
      `script: npm run version \${{ inputs.what }}`,
      "inputs",
    ],
  }),
  ...of("a checkout keeps no credentials", {
    "by default": ["nightly.yml", "        with:\n          persist-credentials: false\n", "", "checkout"],
    "on purpose": ["release.yml", "persist-credentials: false", "persist-credentials: true", "checkout"],
  }),
  ...of("every job ends", {
    "after six hours": ["ci.yml", "    timeout-minutes: 30\n", "", "test"],
  }),
  ...of("a failure is a failure", {
    "but for a step": [
      "nightly.yml",
      "- run: npm run test:properties",
      "- continue-on-error: true\n        run: npm run test:properties",
      "properties",
    ],
    "but for a job": [
      "ci.yml",
      "    timeout-minutes: 30\n",
      "    timeout-minutes: 30\n    continue-on-error: true\n",
      "test",
    ],
  }),
  ...of("runs of a workflow do not pile up", {
    "one beside the other": ["nightly.yml", "concurrency:\n  group: nightly\n", "", "concurrency"],
  }),
];
