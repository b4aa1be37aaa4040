"""Two examples for each command, whose options its help lists first."""

_TYPED = """
capcurve report loans.csv -t y -s grade_rank -o report.html
capcurve report loans.csv -t y -s grade_rank -s int_rate --by sub_grade --all-segments
capcurve summary loans.csv -t y -s grade_rank
capcurve summary claims.csv --amount claims --exposure years -s model_a -s model_b
capcurve gains loans.csv -t y -s grade_rank --bins 10
capcurve gains loans.csv -t y -s grade_rank --interval jeffreys -o gains.xlsx
capcurve curve loans.csv -t y -s grade_rank --kind roc -o roc.csv
capcurve curve loans.csv -t y -s grade_rank --points 100
capcurve plot loans.csv -t y -s grade_rank --at 0.1 -o cap.png
capcurve plot loans.csv -t y -s grade_rank -s int_rate --kind roc -o roc.svg
capcurve thresholds loans.csv -t y -s grade_rank
capcurve thresholds loans.csv -t y -s grade_rank -o cutoffs.xlsx
capcurve steps loans.csv -t y -s grade_rank
capcurve steps loans.csv -t y -s grade_rank --ideal -o steps.csv
capcurve grades loans.csv -t y -s int_rate --design 7
capcurve grades loans.csv -t y -s int_rate --design 3:9 --min-share 0.05 -o scale.csv
capcurve generalised-auc lgd.csv --realised realised --estimated estimated
capcurve generalised-auc lgd.csv -r realised -e estimated --initial 0.75
capcurve uplift trial.csv -t bought --treatment mailed -s propensity
capcurve uplift trial.csv -t bought --treatment mailed -s propensity --value 20 --cost 1
capcurve compare loans.csv -t y -s grade_rank -s int_rate
capcurve compare loans.csv -t y -s grade_rank -s int_rate --metric lift --at 0.1
capcurve mean loans.csv -t y -s int_rate --by sub_grade --metric recall@50
capcurve mean followup.csv -t status -s pd --drop-label 2 --by vintage --segments fixed
capcurve groups followup.csv -t status -s pd --drop-label 2 --by vintage
capcurve groups followup.csv -t status -s pd --drop-label 2 --by vintage --at 0.1 -o groups.html
capcurve change before.csv after.csv -t y -s grade_rank
capcurve change loans.csv -t y -s int_rate --period sub_grade --from A1 --to G1
capcurve check loans.csv -t y -s grade_rank --min-ar 0.3
capcurve check after.csv -t y -s grade_rank --baseline before.csv --max-drop 0.05
capcurve stability before.csv after.csv -s grade_rank
capcurve stability before.csv after.csv -s int_rate --bins 10
capcurve validate loans.csv -t y -s grade_rank -o sheet.html
capcurve validate after.csv -t y -s grade_rank --initial before.csv --challenger int_rate
capcurve implied followup.csv -t status -s pd --drop-label 2
capcurve implied followup.csv -t status -s old --pd pd --drop-label 2
capcurve calibration followup.csv -t status -s pd --drop-label 2
capcurve calibration followup.csv -t status -s pd --drop-label 2 --at 0.1,0.2
capcurve bounds applicants.csv --counts
capcurve bounds applicants.csv --counts --positives 0.1:0.4
capcurve audit deciles.csv
capcurve audit deciles.csv --claim ks=0.37
capcurve counts loans.csv -t y -s grade_rank -o counts.csv
capcurve counts followup.csv --time days --event status -s pd -o times.json
capcurve sql --dialect postgres --table loans -t bad -s pd --resolution .01 | psql --csv > cells.csv
capcurve sql --dialect duckdb --table loans -t bad -s pd --what numbers
capcurve schema check
capcurve schema summary > summary.schema.json
capcurve example loans
capcurve example claims -o claims.csv
""".strip().splitlines()
_NAMES = dict.fromkeys(line.split()[1] for line in _TYPED)
EXAMPLES = {name: [line for line in _TYPED if line.split()[1] == name] for name in _NAMES}
