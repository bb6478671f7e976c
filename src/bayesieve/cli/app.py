"""The commands, put together."""

import typer

from bayesieve import __version__
from bayesieve.cli.demo import demo
from bayesieve.cli.discretize import discretize
from bayesieve.cli.explain import explain
from bayesieve.cli.export import export
from bayesieve.cli.fit import fit
from bayesieve.cli.predict import predict
from bayesieve.cli.rank import rank
from bayesieve.cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(help="Find the few columns that make the probabilities right.", no_args_is_help=True)
app.command()(demo)
app.command()(fit)
app.command()(predict)
app.command()(explain)
app.command()(export)
app.command()(discretize)
app.command()(rank)
app.command()(reproduce)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Find the few columns that make the probabilities right."""
